import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { createDeviceService } from '../../device-service/service.js';
import { systemClock } from '../../kit/clock.js';
import { silentLog } from '../../kit/log.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { FakeDriver } from '../fake-driver.js';
import { openTemporaryDatabase } from '../temporary-database.js';
import { quantile, type Report } from './report.js';

const FEW = 10;
const MANY = 1_000;
const REQUESTS = 2_000;

/** P18: what a list (a page of 10) and a get cost when the account has 1,000 devices instead of 10. Phones are a word each. */
export async function benchScale(report: Report): Promise<void> {
  const few = await measure(FEW);
  const many = await measure(MANY);
  for (const what of ['list', 'get'] as const) {
    const ratio = many[what] / few[what];
    report({
      what: `P18 ${what}, p99 at ${MANY} devices against ${FEW}`,
      ours: `${many[what].toFixed(2)} ms`,
      theirs: `${few[what].toFixed(2)} ms`,
      ratio: { median: ratio, min: ratio, max: ratio },
      goal: '<= 2',
      holds: ratio <= 2,
    });
  }
}

async function measure(count: number): Promise<{ list: number; get: number }> {
  const temporary = await openTemporaryDatabase();
  const service = await createDeviceService({
    clock: systemClock,
    log: silentLog,
    metrics: new Registry(),
    database: temporary.database,
    drivers: [new FakeDriver()],
    hostId: 'bench',
    meshToken: undefined,
  });
  const key = (await service.createFirstAccount('bench@localhost'))?.apiKey ?? '';
  const headers = { authorization: `Bearer ${key}` };
  const transport = joinInMemory(service.rpc, undefined);
  const devices = createClient(DeviceService, transport);
  const jobs = createClient(JobService, transport);
  for (let index = 0; index < count; index++) {
    const network = { type: ExitType.DIRECT, country: 'us' };
    const { job } = await devices.createDevice(
      { name: `bench-${index}`, model: 'phone-720p', network, plan: Plan.MINUTE, start: false },
      { headers },
    );
    await jobs.getJob({ id: job?.id ?? '', waitS: 30 }, { headers });
  }
  const p99 = async (call: (index: number) => Promise<unknown>): Promise<number> => {
    const tookMs: number[] = [];
    for (let index = 0; index < REQUESTS; index++) {
      const beganMs = performance.now();
      await call(index);
      tookMs.push(performance.now() - beganMs);
    }
    // The first ones are the compiler's.
    return quantile(tookMs.slice(REQUESTS / 10), 0.99);
  };
  const list = await p99(() => devices.listDevices({ limit: FEW }, { headers }));
  const get = await p99((index) => devices.getDevice({ name: `bench-${index % count}` }, { headers }));
  await service.close();
  await temporary.close();
  return { list, get };
}
