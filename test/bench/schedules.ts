import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { onErrorWord } from '../../device-service/fleet/groups/on-error.js';
import { stepsBox } from '../../device-service/fleet/groups/steps-box.js';
import { storeSteps } from '../../device-service/fleet/groups/stored-steps.js';
import { createDeviceService } from '../../device-service/service.js';
import { openStores } from '../../device-service/store/stores.js';
import { create } from '@bufbuild/protobuf';
import { systemClock } from '../../kit/async/clock.js';
import { createId } from '../../kit/text/ids.js';
import { silentLog } from '../../kit/log/log.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { GroupStepSchema } from '../../proto/gen/cloudphone/device/v1/group_pb.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { Day } from '../../proto/gen/cloudphone/device/v1/schedule_pb.js';
import { FakeDriver } from '../fake-driver.js';
import { openTemporaryDatabase } from '../temporary-database.js';
import { quantile, type Report } from './report.js';

const SCHEDULES = 1_000;
/** How long before they are due they are made, ms. */
const AHEAD_MS = 3_000;
const MAX_LATE_MS = 120_000;

/** Schedules that are due in the same second, watched by two instances: when their groups begin, and that each begins once. */
export async function benchSchedules(report: Report): Promise<void> {
  const temporary = await openTemporaryDatabase();
  const { database } = temporary;
  const open = (hostId: string) =>
    createDeviceService({
      clock: systemClock,
      log: silentLog,
      metrics: new Registry(),
      database,
      drivers: [new FakeDriver()],
      hostId,
      meshToken: undefined,
    });
  const [first, second] = [await open('bench-1'), await open('bench-2')];
  const account = await first.createFirstAccount('bench@localhost');
  const devices = createClient(DeviceService, joinInMemory(first.rpc, undefined));
  const headers = { authorization: `Bearer ${account?.apiKey ?? ''}` };
  const network = { type: ExitType.DIRECT, country: 'us' };
  await devices.createDevice(
    { name: 'bench', model: 'phone-720p', network, plan: Plan.MINUTE, start: false },
    { headers },
  );
  const stores = await openStores(database, { clock: systemClock, log: silentLog });
  const [device] = await stores.devices.listAll(1);
  if (device === undefined) throw new Error('there is no device');

  const dueMs = systemClock.now() + AHEAD_MS;
  const steps = [create(GroupStepSchema, { kind: { case: 'wait', value: { ms: 1 } } })];
  for (let count = 0; count < SCHEDULES; count++) {
    const _id = createId('sch', systemClock.now());
    await stores.schedules.insert({
      _id,
      accountId: device.accountId,
      maker: { id: device.createdBy, isOwner: false },
      createdBy: device.createdBy,
      devices: ['bench'],
      days: [Day.MON, Day.TUE, Day.WED, Day.THU, Day.FRI, Day.SAT, Day.SUN],
      time: '00:00',
      timezone: 'UTC',
      steps: storeSteps(steps, _id, stepsBox(undefined, undefined)),
      concurrency: 1,
      onError: onErrorWord(),
      createdAt: new Date(),
      nextRunAt: new Date(dueMs),
    });
  }

  const groups = database.collection<{ createdAt: Date; schedule: { id: string }; outcome?: unknown }>('groups');
  const deadlineMs = systemClock.monotonicMs() + MAX_LATE_MS;
  while ((await groups.countDocuments({ outcome: { $exists: true } })) < SCHEDULES) {
    if (systemClock.monotonicMs() > deadlineMs) throw new Error('the schedules do not end');
    await systemClock.sleep(500);
  }
  const made = await groups.find({}).toArray();
  const lateMs = made.map(({ createdAt }) => createdAt.getTime() - dueMs);
  const each = new Set(made.map(({ schedule }) => schedule.id)).size;
  const slowest = Math.max(...lateMs);
  report({
    what: `${SCHEDULES} schedules due at once, two instances: begin`,
    ours: `p50 ${quantile(lateMs, 0.5).toFixed(0)} ms, last ${slowest} ms; ${made.length} groups of ${each} schedules`,
    theirs: '',
    goal: 'all within 5 s, each once',
    holds: slowest <= 5_000 && made.length === SCHEDULES && each === SCHEDULES,
  });
  await Promise.all([first.close(), second.close()]);
  await temporary.close();
}
