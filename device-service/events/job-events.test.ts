import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { systemClock } from '../../kit/clock.js';
import { FakeClock } from '../../kit/fake-clock.js';
import { silentLog } from '../../kit/log.js';
import { joinInMemory } from '../../kit/rpc/transport.js';
import { ExitType, Plan } from '../../proto/gen/cloudphone/device/v1/device_pb.js';
import { DeviceService } from '../../proto/gen/cloudphone/device/v1/device_service_pb.js';
import { JobService } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { type Event, EventService } from '../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { FakeDriver } from '../../test/fake-driver.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { createDeviceService, type DeviceServiceInstance } from '../service.js';
import { PUBLISH_AGAIN_MS, PUBLISH_FIRST_MS } from '../limits.js';
import { type JobDocument, JobStore } from '../store/jobs.js';
import { JobEvents } from './job-events.js';

describe('events of finished jobs', () => {
  let opened: TemporaryDatabase;
  let service: DeviceServiceInstance;
  let told: Event[];
  let away: boolean;
  /** An event that the webhook service never takes. */
  const refused = 'job_refused';
  /** The webhook service takes events once this resolves. */
  let taken: Promise<void>;

  const events = createClient(
    EventService,
    createRouterTransport((router) =>
      router.service(EventService, {
        publish: async ({ event }) => {
          if (away || event?.id === refused) throw new Error('the webhook service does not take it');
          await taken;
          told.push(event!);
          return { deliveries: 1 };
        },
      }),
    ),
  );

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    told = [];
    away = false;
    taken = Promise.resolve();
    service = await createDeviceService({
      clock: systemClock,
      log: silentLog,
      metrics: new Registry(),
      database: opened.database,
      driver: new FakeDriver(),
      hostId: 'host-1',
      meshToken: undefined,
      events,
    });
  });

  afterEach(async () => {
    await service.close();
    await opened.close();
  });

  async function createDevice(name: string): Promise<string> {
    const key = (await service.createFirstAccount('owner@localhost'))?.apiKey ?? '';
    const headers = { authorization: `Bearer ${key}` };
    const transport = joinInMemory(service.rpc, undefined);
    const network = { type: ExitType.DIRECT, country: 'us' };
    const made = createClient(DeviceService, transport).createDevice(
      { name, model: 'phone-720p', network, plan: Plan.MINUTE, start: false },
      { headers },
    );
    const id = (await made).job!.id;
    await createClient(JobService, transport).getJob({ id, waitS: 10 }, { headers });
    return id;
  }

  it('are told at once, with the job as REST answers it', async () => {
    const id = await createDevice('one');
    await eventually(async () => told.length === 1);
    expect(told[0]).to.include({ id, type: 'job.finished', device: 'one' });
    const payload = JSON.parse(Buffer.from(told[0]!.payload).toString('utf8'));
    expect(payload).to.include({ event: 'job.finished', phone: 'one' });
    expect(payload.job).to.include({ id, kind: 'create', state: 'done', device: 'one', progress: 100 });
    expect(payload.ts).to.equal(payload.job.finished_at);
  });

  it('are told once when the job is filed before the webhook service has answered', async () => {
    let take = (): void => undefined;
    taken = new Promise((resolve) => (take = resolve));
    const id = await createDevice('one');
    const jobs = new JobStore(opened.database);
    await eventually(async () => (await pendingIn(jobs)).length === 1);
    take();
    await eventually(async () => (await pendingIn(jobs)).length === 0);
    expect(told.map((event) => event.id)).to.deep.equal([id]);
  });

  it('wait in the database while the webhook service is away, and are told when it is back', async () => {
    away = true;
    const id = await createDevice('one');
    const jobs = new JobStore(opened.database);
    await eventually(async () => (await pendingIn(jobs)).length > 0);
    expect(await pendingIn(jobs)).to.deep.equal([id]);

    // Which would tell it by itself.
    await service.close();
    away = false;
    const later = new JobEvents({ events, jobs, clock: systemClock, log: silentLog });
    await later.tellPending();
    expect(told.map((event) => event.id)).to.deep.equal([id]);
    expect(await pendingIn(jobs)).to.deep.equal([]);
  });

  it('are all told, though one of them never can be', async () => {
    await service.close();
    const jobs = new JobStore(opened.database);
    const ids = Array.from({ length: 300 }, (_, at) => `job_${String(at).padStart(3, '0')}`);
    await jobs.file([...ids, refused].sort().map(filed));
    const later = new JobEvents({ events, jobs, clock: systemClock, log: silentLog });
    await later.tellPending();
    expect(told.map(({ id }) => id).sort()).to.deep.equal(ids);
    expect(await pendingIn(jobs)).to.deep.equal([refused]);
  });

  it('that an earlier process left are told soon after a start, then every few seconds', async () => {
    await service.close();
    const jobs = new JobStore(opened.database);
    const clock = new FakeClock();
    const started = new JobEvents({ events, jobs, clock, log: silentLog });
    await jobs.file([filed('job_1')]);
    started.start();
    clock.turn(PUBLISH_FIRST_MS);
    await eventually(async () => clock.timers === 1);
    expect(told.map(({ id }) => id)).to.deep.equal(['job_1']);

    await jobs.file([filed('job_2')]);
    clock.turn(PUBLISH_AGAIN_MS - 1);
    expect(clock.timers).to.equal(1);
    clock.turn(1);
    await eventually(async () => clock.timers === 1);
    expect(told.map(({ id }) => id)).to.deep.equal(['job_1', 'job_2']);
    started.close();
  });
});

async function pendingIn(jobs: JobStore): Promise<string[]> {
  const ids: string[] = [];
  for await (const { _id } of jobs.eventsPending()) ids.push(_id);
  return ids;
}

/** A job that was filed with its event pending. */
function filed(id: string): JobDocument {
  const at = new Date();
  return {
    _id: id,
    accountId: 'acc_1',
    phoneId: 'ph_1',
    device: 'one',
    deviceCreatedBy: 'key_1',
    kind: 'stop',
    createdAt: at,
    progress: 100,
    outcome: { state: 'done', finishedAt: at },
    eventPending: true,
    expiresAt: new Date(at.getTime() + 86_400_000),
  };
}

async function eventually(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    if (await holds()) return;
    await systemClock.sleep(10);
  }
  throw new Error('it never came to hold');
}
