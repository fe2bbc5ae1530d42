import { create } from '@bufbuild/protobuf';
import { createClient, createRouterTransport } from '@connectrpc/connect';
import type { PhoneEndpoint, StartOptions } from '../../phone/driver.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobKind, JobSchema, JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { FakeDriver } from '../fake-driver.js';
import { createOn, type Host, openHost } from '../hosts/open-host.js';
import { openTemporaryDatabase } from '../temporary-database.js';
import { startLoneDeviceService } from './lone-device-service.js';
import { inTurn, quantile, type Report } from './report.js';

const DEVICES = 16;
const JOBS_PER_DEVICE = 64;
const JOBS = DEVICES * JOBS_PER_DEVICE;

/**
 * P17: jobs per second, and how long a job waits for its worker. The driver does nothing, so all of it is the job's own cost. It is
 * compared with claiming and finishing in the bare store, with and without the two rpcs that request a job and wait for it. Bare Connect
 * makes these rpcs in memory, to operations that do nothing. docs/adr/0037-what-a-job-costs.md says why the first comparison is the goal.
 */
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
  const { devices: bareDevices, jobs: bareJobs } = bareClients();
  const theirs = (withRpcs: boolean) => async (): Promise<number> => {
    const startedMs = performance.now();
    await Promise.all(
      names.map(async (name) => {
        for (let count = 0; count < JOBS_PER_DEVICE; count++) {
          if (withRpcs) await bareDevices.stopDevice({ name });
          await bare.findOneAndUpdate({ _id: name, state: 'idle' }, { $set: { state: 'claimed' } });
          await bare.updateOne({ _id: name, state: 'claimed' }, { $set: { state: 'idle' }, $inc: { count: 1 } });
          if (withRpcs) await bareJobs.getJob({ id: JOB.id });
        }
      }),
    );
    return JOBS / ((performance.now() - startedMs) / 1000);
  };

  for (const [withRpcs, goal] of [
    [true, 0.35],
    [false, undefined],
  ] as const) {
    const { ratio, ...figures } = await inTurn(ours, theirs(withRpcs));
    report({
      what: 'P17 jobs per second (stop and start in turn), 16 devices',
      ours: `${figures.ours.toFixed(0)}/s`,
      theirs: `${figures.theirs.toFixed(0)}/s bare claim+finish${withRpcs ? ' and two bare rpcs' : ''}`,
      ratio,
      goal: goal === undefined ? 'for information' : `>= ${goal}`,
      holds: goal === undefined || ratio.median >= goal,
    });
  }
  const waitMs = quantile(waitsMs, 0.5);
  report({
    what: 'P17 accepted -> running, p50',
    ours: `${waitMs.toFixed(2)} ms`,
    theirs: '',
    goal: '<= 50 ms',
    holds: waitMs <= 50,
  });
  await onAnotherHost(report);
}

/** Jobs that one host accepts for a phone of another one. */
async function onAnotherHost(report: Report): Promise<void> {
  const opened = await openTemporaryDatabase();
  const [a, b] = [await openHost(opened.database, 'bench-a'), await openHost(opened.database, 'bench-b')];
  const first = await a.service.createFirstAccount('bench@localhost');
  const headers = { authorization: `Bearer ${first?.apiKey ?? ''}` };
  const ended = (through: Host, id = ''): Promise<unknown> => through.jobs.getJob({ id, waitS: 10 }, { headers });
  await ended(b, await createOn(b, 'on-b', headers));
  const begunMs: number[] = [];
  const endedMs: number[] = [];
  for (let round = 0; round < 41; round++) {
    await ended(b, (await b.devices.stopDevice({ name: 'on-b' }, { headers })).job?.id);
    const { job } = await a.devices.startDevice({ name: 'on-b' }, { headers });
    const acceptedMs = performance.now();
    await ended(a, job?.id);
    endedMs.push(performance.now() - acceptedMs);
    begunMs.push(Math.max(0, b.driver.startedMs - acceptedMs));
  }
  for (const [what, values, goalMs] of [
    ['accepted -> running on another host', begunMs, 20],
    ['accepted -> its end is known where it was accepted', endedMs, 100],
  ] as const) {
    const p50Ms = quantile(values, 0.5);
    report({
      what: `P17 ${what}, p50`,
      ours: `${p50Ms.toFixed(1)} ms`,
      theirs: '',
      goal: `<= ${goalMs} ms`,
      holds: p50Ms <= goalMs,
    });
  }
  await Promise.all([a.close(), b.close()]);
  await opened.close();
}

/** A job as it is on the wire. */
const JOB = create(JobSchema, {
  id: 'job_1m816p432bgvvced7n5kd0pts',
  kind: JobKind.STOP,
  state: JobState.DONE,
  device: 'bench-1',
  progress: 100,
  createdAt: { seconds: 1_795_194_000n, nanos: 0 },
  finishedAt: { seconds: 1_795_194_001n, nanos: 0 },
});

/** Operations that do nothing, through Connect's in-memory transport with nothing of ours. */
function bareClients() {
  const transport = createRouterTransport((router) => {
    router
      .service(DeviceService, { stopDevice: () => ({ job: JOB }) })
      .service(JobService, { getJob: () => ({ job: JOB }) });
  });
  return { devices: createClient(DeviceService, transport), jobs: createClient(JobService, transport) };
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
