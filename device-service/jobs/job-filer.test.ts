import { expect } from 'chai';
import { FakeClock } from '../../kit/fake-clock.js';
import { silentLog } from '../../kit/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { JobEvents } from '../events/job-events.js';
import { FILE_AFTER_MS } from '../limits.js';
import type { FinishedJob, JobKindWord } from '../store/device-document.js';
import type { DeviceDocument } from '../store/devices.js';
import { openStores, type Stores } from '../store/stores.js';
import { JobFiler, toUnfiled, unfiledJobs } from './job-filer.js';

describe('JobFiler', () => {
  let opened: TemporaryDatabase;
  let stores: Stores;
  let clock: FakeClock;
  let filer: JobFiler;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    stores = await openStores(opened.database);
    clock = new FakeClock();
    const events = new JobEvents({ ...stores, events: undefined, clock, log: silentLog });
    filer = new JobFiler({ ...stores, events, clock, log: silentLog });
  });

  afterEach(() => opened.close());

  function finishedJob(id: string, kind: JobKindWord = 'stop'): FinishedJob {
    const at = new Date(clock.now());
    return { id, kind, createdAt: at, progress: 100, outcome: { state: 'done', finishedAt: at } };
  }

  async function device(finished: FinishedJob[], more: Partial<DeviceDocument> = {}): Promise<DeviceDocument> {
    const at = new Date(clock.now());
    const made: DeviceDocument = {
      _id: 'ph_1',
      accountId: 'acc_1',
      name: 'one',
      createdBy: 'key_1',
      hostId: 'host-1',
      driver: 'simulated',
      model: 'phone-720p',
      android: '14',
      plan: 'minute',
      exit: { type: 'direct', country: 'us', timezone: 'America/New_York' },
      screen: { width: 720, height: 1280, density: 320 },
      state: 'stopped',
      generation: 1,
      minutes: { day: '2026-11-20', count: 0, through: 0 },
      createdAt: at,
      finished,
      ...more,
    };
    expect(await stores.devices.insert(made)).to.equal(true);
    return made;
  }

  const idsWithDevice = async () => (await stores.devices.findById('ph_1'))?.finished?.map(({ id }) => id);

  it('files what has been finished, many at a time, and leaves the device what came since', async () => {
    const made = await device([finishedJob('job_1'), finishedJob('job_2'), finishedJob('job_3')]);
    for (const job of unfiledJobs(made).slice(0, 2)) filer.soon(job);
    clock.turn(FILE_AFTER_MS);
    await filer.close();
    expect(await stores.jobs.find('job_1')).to.include({ device: 'one', accountId: 'acc_1', phoneId: 'ph_1' });
    expect(await stores.jobs.find('job_2')).to.include({ kind: 'stop', progress: 100 });
    expect(await stores.jobs.find('job_3')).to.equal(null);
    expect(await idsWithDevice()).to.deep.equal(['job_3']);
  });

  it('files what waits when it closes', async () => {
    const [job] = unfiledJobs(await device([finishedJob('job_1')]));
    filer.soon(job!);
    await filer.close();
    expect(await stores.jobs.find('job_1')).to.include({ device: 'one' });
    expect(await idsWithDevice()).to.deep.equal([]);
  });

  it('files a job again that a crash left in both places', async () => {
    const made = await device([finishedJob('job_1'), finishedJob('job_2')]);
    await stores.jobs.file(unfiledJobs(made).slice(0, 1));
    await filer.file(unfiledJobs(made));
    expect(await stores.jobs.find('job_2')).to.include({ device: 'one' });
    expect(await idsWithDevice()).to.deep.equal([]);
  });

  it('keeps a device that is gone until all of its jobs have been filed', async () => {
    const made = await device([finishedJob('job_1'), finishedJob('job_2', 'delete')], { gone: true });
    await filer.file([toUnfiled(made, finishedJob('job_2', 'delete'))]);
    expect(await idsWithDevice()).to.include('job_1');
    await filer.file((await stores.devices.findUnfiledOfHost('host-1')).flatMap(unfiledJobs));
    expect(await stores.devices.findById('ph_1')).to.equal(null);
    expect(await stores.jobs.find('job_1')).to.include({ kind: 'stop' });
    expect(await stores.jobs.find('job_2')).to.include({ kind: 'delete' });
  });
});
