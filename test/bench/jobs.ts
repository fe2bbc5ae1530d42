import type { PhoneEndpoint, StartOptions } from '../../phone/driver.js';
import { FakeDriver } from '../fake-driver.js';
import { startLoneDeviceService } from './lone-device-service.js';
import { inTurn, quantile, type Report } from './report.js';

const DEVICES = 16;
const JOBS_PER_DEVICE = 64;
const JOBS = DEVICES * JOBS_PER_DEVICE;

/** P17: jobs per second, and how long a job waits for its worker. The driver does nothing, so all of it is the job's own cost. */
export async function benchJobs(report: Report): Promise<void> {
  const driver = new TimingDriver();
  const { database, devices, call, finished, create } = await startLoneDeviceService(driver);
  const names = Array.from({ length: DEVICES }, (_, index) => `bench-${index}`);
  for (const name of names) await create(name, { start: true });

  const waitsMs: number[] = [];
  const ours = async (): Promise<number> => {
    const startedMs = performance.now();
    await Promise.all(
      names.map(async (name) => {
        for (let count = 0; count < JOBS_PER_DEVICE; count++) {
          const { job } = await (count % 2 === 0 ? devices.stopDevice : devices.startDevice)({ name }, call);
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
    goal: '>= 0.4',
    holds: ratio.median >= 0.4,
  });
  const waitMs = quantile(waitsMs, 0.5);
  report({
    what: 'P17 accepted -> running, p50',
    ours: `${waitMs.toFixed(2)} ms`,
    theirs: '',
    goal: '<= 50 ms',
    holds: waitMs <= 50,
  });
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
