import { systemClock } from '../../kit/async/clock.js';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { FakeClock } from '../../testing/fake-clock.js';
import { silentLog } from '../../kit/log/log.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { type DeviceMetrics, deviceMetrics } from './metrics.js';
import type { DeviceDocument, DeviceStateWord, JobKindWord } from '../store/device-document.js';
import type { JobDocument } from '../store/jobs.js';
import type { ProblemKind } from '../store/problem-kinds.js';
import { openStores } from '../store/stores.js';

describe('the metrics of devices and jobs', () => {
  let temporary: TemporaryDatabase;
  let metrics: Registry;
  let running: JobKindWord[];
  let counted: DeviceMetrics;

  beforeEach(async () => {
    temporary = await openTemporaryDatabase();
    metrics = new Registry();
    running = [];
    const stores = await openStores(temporary.database, { clock: systemClock, log: silentLog });
    const parts = { clock: new FakeClock(), log: silentLog, hostId: 'here' };
    counted = deviceMetrics({ ...parts, ...stores, metrics, running: () => running });
  });

  afterEach(() => temporary.close());

  async function insert(state: DeviceStateWord, fields: Partial<DeviceDocument> = {}): Promise<void> {
    const device = { _id: Math.random().toString(36), hostId: 'here', name: 'a', state, ...fields };
    await temporary.database.collection('devices').insertOne(device as object);
  }

  async function lines(name: string): Promise<string[]> {
    const text = await metrics.metrics();
    return text.split('\n').filter((line) => line.startsWith(name) && !line.endsWith(' 0'));
  }

  it('are the devices of this host that are not gone, by state, and those with a problem by its kind', async () => {
    const problem = (kind: ProblemKind) => ({ problem: { kind, message: 'secret', since: new Date() } });
    await insert('running');
    await insert('running', problem('storage'));
    await insert('running', problem('storage'));
    await insert('failed', problem('start'));
    await insert('stopped', { gone: true });
    await insert('running', { hostId: 'elsewhere' });
    expect(await lines('devices')).to.have.members([
      'devices{state="running"} 3',
      'devices{state="failed"} 1',
      'devices_with_problem{problem="storage"} 2',
      'devices_with_problem{problem="start"} 1',
    ]);
    await temporary.database.collection('devices').deleteMany({});
    expect(await lines('devices')).to.deep.equal([]);
  });

  it('are the jobs at work and those that ended, and the events that could not be published', async () => {
    running = ['create', 'create', 'stop'];
    const createdAt = new Date(0);
    counted.jobFinished({ kind: 'create', createdAt }, { state: 'done', finishedAt: new Date(900) });
    counted.jobFinished({ kind: 'create', createdAt }, { state: 'failed', finishedAt: new Date(2_000) });
    await temporary.database
      .collection<Pick<JobDocument, '_id' | 'eventPending'>>('jobs')
      .insertMany([{ _id: 'job_1', eventPending: true }, { _id: 'job_2' }]);
    expect(await lines('job')).to.include.members([
      'jobs_running{kind="create"} 2',
      'jobs_running{kind="stop"} 1',
      'job_events_pending 1',
      'job_duration_seconds_bucket{le="1",kind="create",outcome="done"} 1',
      'job_duration_seconds_sum{kind="create",outcome="done"} 0.9',
      'job_duration_seconds_count{kind="create",outcome="failed"} 1',
    ]);
  });
});
