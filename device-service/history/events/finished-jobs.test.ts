import { createClient, createRouterTransport } from '@connectrpc/connect';
import { expect } from 'chai';
import { FakeClock } from '../../../testing/fake-clock.js';
import { systemClock } from '../../../kit/async/clock.js';
import { silentLog } from '../../../kit/log/log.js';
import { type Event, EventService } from '../../../proto/gen/cloudphone/webhook/v1/event_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../../test/temporary-database.js';
import { MAX_DATABASE_RETRY_MS } from '../../record/limits.js';
import { FILE_AFTER_MS } from '../limits.js';
import type { Job, JobKindWord } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { type JobDocument, unfiledJobs } from '../../store/jobs.js';
import { openStores, type Stores } from '../../store/stores.js';
import { deviceDocument } from '../../../testing/device-document.js';
import { FinishedJobs } from './finished-jobs.js';
import { until } from '../../../testing/until.js';

describe('finished jobs', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let clock: FakeClock;
  let finished: FinishedJobs;
  let published: Event[];
  /** Jobs that were found finished. */
  let found: string[];
  /** Whether the webhook service refuses events. */
  let away: boolean;
  /** An event that the webhook service never takes. */
  const refused = 'job_refused';
  /** Resolves when the webhook service takes events. */
  let taken: Promise<void>;

  const events = createClient(
    EventService,
    createRouterTransport((router) =>
      router.service(EventService, {
        record: () => ({}),
        publish: async ({ event }) => {
          if (away || event?.id === refused) throw new Error('the webhook service does not take it');
          await taken;
          published.push(event!);
          return { deliveries: 1 };
        },
      }),
    ),
  );

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database, { clock: systemClock, log: silentLog });
    clock = new FakeClock();
    published = [];
    found = [];
    away = false;
    taken = Promise.resolve();
    finished = open();
  });

  afterEach(async () => {
    await finished.close();
    await opened.close();
  });

  const onFound = (job: JobDocument): void => void found.push(job._id);

  function open(options: { subscribed: boolean } = { subscribed: true }): FinishedJobs {
    const client = options.subscribed ? events : undefined;
    return new FinishedJobs({ ...stores, events: client, hostId: 'host-1', onFound, clock, log: silentLog });
  }

  function job(id: string, kind: JobKindWord = 'stop'): Job {
    const at = new Date(clock.now());
    return { id, kind, createdAt: at, progress: 100, outcome: { state: 'done', finishedAt: at } };
  }

  async function device(jobs: Job[], more: Partial<DeviceDocument> = {}): Promise<JobDocument[]> {
    const made = deviceDocument({ finished: jobs, ...more });
    expect(await stores.devices.insert(made)).to.equal(true);
    return unfiledJobs(made);
  }

  async function filed(id: string): Promise<void> {
    await until(async () => {
      clock.turn(FILE_AFTER_MS);
      return (await stores.jobs.find(id)) !== null;
    });
  }

  const idsWithDevice = async () => (await stores.devices.findById('ph_1'))?.finished?.map(({ id }) => id);
  const publishedIds = () => published.map(({ id }) => id);

  it('are published with the job as REST returns it, then filed, and leave the device', async () => {
    const [first] = await device([job('job_1'), job('job_2')]);
    finished.add(first!);
    await filed('job_1');
    expect(published[0]).to.include({ id: 'job_1', type: 'job.finished', device: 'one' });
    const payload = JSON.parse(Buffer.from(published[0]!.payload).toString('utf8'));
    expect(payload).to.include({ event: 'job.finished', phone: 'one' });
    expect(payload.job).to.include({ id: 'job_1', kind: 'stop', state: 'done', device: 'one', progress: 100 });
    expect(payload.ts).to.equal(payload.job.finished_at);
    expect(await stores.jobs.find('job_1')).to.include({ device: 'one', phoneId: 'ph_1' });
    expect(await pending()).to.deep.equal([]);
    await until(async () => (await idsWithDevice())?.join() === 'job_2');
  });

  it('end the waits for them when the reply to the update that finished them was lost', async () => {
    await device([job('job_1')]);
    await finished.fileLeft();
    expect(found).to.deep.equal(['job_1']);
    expect(await stores.jobs.find('job_1')).to.include({ _id: 'job_1' });
    const [second] = await device([job('job_2')], { _id: 'ph_2', name: 'two', nameKey: 'acc_1/two' });
    finished.add(second!);
    await finished.fileLeft();
    expect(found).to.deep.equal(['job_1']);
  });

  it('stay with their device until the webhook service has responded, so that a crash loses no event', async () => {
    let take = (): void => undefined;
    taken = new Promise((resolve) => (take = resolve));
    const [first] = await device([job('job_1')]);
    finished.add(first!);
    await finished.fileLeft();
    expect(await idsWithDevice()).to.deep.equal(['job_1']);
    take();
    await filed('job_1');
    expect(publishedIds()).to.deep.equal(['job_1']);
    expect(await pending()).to.deep.equal([]);
  });

  it('are filed with their event pending while the webhook service is away, and published when it is back', async () => {
    away = true;
    const [first] = await device([job('job_1')]);
    finished.add(first!);
    await filed('job_1');
    expect(await pending()).to.deep.equal(['job_1']);
    away = false;
    await finished.publishPending(new AbortController().signal);
    expect(publishedIds()).to.deep.equal(['job_1']);
    expect(await pending()).to.deep.equal([]);
  });

  it('are all published, though one of them is always refused', async () => {
    const ids = Array.from({ length: 300 }, (_, at) => `job_${String(at).padStart(3, '0')}`);
    await stores.jobs.file([...ids, refused].sort().map((id) => pendingJob(id)));
    await finished.publishPending(new AbortController().signal);
    expect(publishedIds().sort()).to.deep.equal(ids);
    expect(await pending()).to.deep.equal([refused]);
  });

  it('that an earlier process left are filed with their event pending', async () => {
    await device([job('job_1')]);
    await finished.fileLeft();
    expect(await stores.jobs.find('job_1')).to.include({ device: 'one', eventPending: true });
    expect(published).to.deep.equal([]);
  });

  it('that were added are published and filed before the close has ended', async () => {
    let take = (): void => undefined;
    taken = new Promise((resolve) => (take = resolve));
    const [first] = await device([job('job_1')]);
    finished.add(first!);
    const closed = finished.close();
    take();
    await closed;
    expect(publishedIds()).to.deep.equal(['job_1']);
    expect(await stores.jobs.find('job_1')).to.include({ device: 'one' });
  });

  it('are filed again after a pause while the database refuses them', async () => {
    const [first] = await device([job('job_1')]);
    const { jobs } = stores;
    const file = jobs.file.bind(jobs);
    let tries = 0;
    jobs.file = async () => {
      tries++;
      throw new Error('no space is left');
    };
    finished.add(first!);
    await until(() => {
      clock.turn(FILE_AFTER_MS);
      return tries === 1;
    });
    await clock.pass(MAX_DATABASE_RETRY_MS / 2, FILE_AFTER_MS);
    expect(tries).to.equal(1);
    jobs.file = file;
    clock.turn(MAX_DATABASE_RETRY_MS);
    await until(async () => (await jobs.find('job_1')) !== null);
  });

  it('are filed again where a crash left them in both places', async () => {
    const both = await device([job('job_1'), job('job_2')]);
    await stores.jobs.file(both.slice(0, 1));
    await open({ subscribed: false }).fileLeft();
    expect(await stores.jobs.find('job_2'))
      .to.include({ device: 'one' })
      .and.not.to.have.property('eventPending');
    expect(await idsWithDevice()).to.deep.equal([]);
  });

  it('keep a device that is gone until all of them have been filed', async () => {
    const [, deleted] = await device([job('job_1'), job('job_2', 'delete')], { gone: true });
    finished.add(deleted!);
    await filed('job_2');
    await until(async () => (await idsWithDevice())?.join() === 'job_1');
    await finished.fileLeft();
    expect(await stores.devices.findById('ph_1')).to.equal(null);
    expect(await stores.jobs.find('job_1')).to.include({ kind: 'stop' });
  });

  async function pending(): Promise<string[]> {
    const ids: string[] = [];
    for await (const { _id } of stores.jobs.eventsPending()) ids.push(_id);
    return ids;
  }

  function pendingJob(id: string): JobDocument {
    return { ...unfiledJobs(deviceDocument({ finished: [job(id)] }))[0]!, eventPending: true };
  }
});
