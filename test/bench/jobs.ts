import { createClient } from '@connectrpc/connect';
import { Registry } from 'prom-client';
import { createDeviceService } from '../../device-service/service.js';
import { systemClock } from '../../kit/clock.js';
import { silentLog } from '../../kit/log.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import type { PhoneEndpoint, StartOptions } from '../../phone/driver.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { FakeDriver } from '../fake-driver.js';
import { openTemporaryDatabase } from '../temporary-database.js';
import { inTurn, quantile, type Report } from './report.js';

const DEVICES = 16;
const JOBS_PER_DEVICE = 64;
const JOBS = DEVICES * JOBS_PER_DEVICE;

/** P17: jobs per second, and how long a job waits for its worker. The driver does nothing, so all of it is the job's own cost. */
export async function benchJobs(report: Report): Promise<void> {
  const temporary = await openTemporaryDatabase();
  const { database } = temporary;
  const driver = new TimingDriver();
  const service = await createDeviceService({
    clock: systemClock,
    log: silentLog,
    metrics: new Registry(),
    database,
    drivers: [driver],
    hostId: 'bench',
    meshToken: undefined,
  });
  const key = (await service.createFirstAccount('bench@localhost'))?.apiKey ?? '';
  const headers = { authorization: `Bearer ${key}` };
  const transport = joinInMemory(service.rpc, undefined);
  const devices = createClient(DeviceService, transport);
  const jobs = createClient(JobService, transport);
  const finished = async (id: string | undefined): Promise<void> => {
    await jobs.getJob({ id: id ?? '', waitS: 30 }, { headers });
  };
  const names = Array.from({ length: DEVICES }, (_, index) => `bench-${index}`);
  for (const name of names) {
    const network = { type: ExitType.DIRECT, country: 'us' };
    const { job } = await devices.createDevice({ name, model: 'phone-720p', network, plan: Plan.MINUTE }, { headers });
    await finished(job?.id);
  }

  const waitsMs: number[] = [];
  const ours = async (): Promise<number> => {
    const startedMs = performance.now();
    await Promise.all(
      names.map(async (name) => {
        for (let count = 0; count < JOBS_PER_DEVICE; count++) {
          const { job } = await (count % 2 === 0 ? devices.stopDevice : devices.startDevice)({ name }, { headers });
          const acceptedMs = performance.now();
          await finished(job?.id);
          waitsMs.push(Math.max(0, (driver.begunMs.shift() ?? acceptedMs) - acceptedMs));
        }
      }),
    );
    return JOBS / ((performance.now() - startedMs) / 1000);
  };

  const bare = database.collection<{ _id: string; state: string; count: number }>('bare');
  await bare.insertMany(names.map((name) => ({ _id: name, state: 'idle', count: 0 })));
  const theirs = async (): Promise<number> => {
    const startedMs = performance.now();
    await Promise.all(
      names.map(async (name) => {
        for (let count = 0; count < JOBS_PER_DEVICE; count++) {
          await bare.findOneAndUpdate({ _id: name, state: 'idle' }, { $set: { state: 'claimed' } });
          await bare.updateOne({ _id: name, state: 'claimed' }, { $set: { state: 'idle' }, $inc: { count: 1 } });
        }
      }),
    );
    return JOBS / ((performance.now() - startedMs) / 1000);
  };

  const { ratio, ...figures } = await inTurn(ours, theirs);
  report({
    what: 'P17 jobs per second (stop and start in turn), 16 devices',
    ours: `${figures.ours.toFixed(0)}/s`,
    theirs: `${figures.theirs.toFixed(0)}/s bare claim+finish`,
    ratio,
    goal: '>= 0.5',
    holds: ratio.median >= 0.5,
  });
  const waitMs = quantile(waitsMs, 0.5);
  report({
    what: 'P17 accepted -> running, p50',
    ours: `${waitMs.toFixed(2)} ms`,
    theirs: '',
    goal: '<= 50 ms',
    holds: waitMs <= 50,
  });
  await service.close();
  await temporary.close();
}

/** Notes when each job's work begins. */
class TimingDriver extends FakeDriver {
  readonly begunMs: number[] = [];

  override async stop(phoneId: string): Promise<void> {
    this.begunMs.push(performance.now());
    return super.stop(phoneId);
  }

  override async start(phoneId: string, options?: StartOptions): Promise<PhoneEndpoint> {
    this.begunMs.push(performance.now());
    return super.start(phoneId, options);
  }
}
