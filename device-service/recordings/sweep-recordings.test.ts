import { mkdtemp, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { silentLog } from '../../kit/log/log.js';
import { Wakeup } from '../../kit/ops/periodic-tasks.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { deviceDocument } from '../../testing/device-document.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { DeviceStore } from '../store/devices.js';
import { type RecordingDocument, RecordingStore } from '../store/recordings.js';
import { RecordingFiles } from './files/recording-files.js';
import { recordingMetrics } from './metrics.js';
import { Recorders } from './recorders.js';
import { type SweepParts, sweepLeft, sweepRecordings } from './sweep-recordings.js';

const DAY_MS = 86_400_000;
const NEVER = new AbortController().signal;
/** An empty fragment, after an empty beginning. */
const WHOLE = Buffer.from(
  '00000008667479700000000800000000000000086d6f6f66000000086d646174'.replace('0000000800000000', '000000086d6f6f76'),
  'hex',
);

describe('the sweep of recordings', () => {
  let opened: TemporaryDatabase;
  let clock: FakeClock;
  let parts: SweepParts;
  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock();
    const recordings = new RecordingStore(opened.database);
    const devices = new DeviceStore(opened.database);
    await recordings.createIndexes();
    await devices.createIndexes();
    await devices.insert(deviceDocument({ _id: 'ph_1' }));
    parts = {
      ...{ recordings, devices, clock, log: silentLog, hostId: 'host-1', keptMs: 7 * DAY_MS },
      files: new RecordingFiles(join(await mkdtemp(join(tmpdir(), 'recordings-')), 'recordings')),
      recorders: new Recorders(),
      recordingEvents: new Wakeup(),
      recordingMetrics: recordingMetrics(new Registry(), () => 0),
    };
  });

  afterEach(() => opened.close());

  async function insert(id: string, more: Partial<RecordingDocument> = {}): Promise<void> {
    const facts = {
      durationMs: 5_000,
      sizeBytes: 10,
      segments: 1,
      hasSecrets: false,
      startedAt: new Date(clock.now()),
    };
    const of = { accountId: 'acc_1', phoneId: 'ph_1', device: 'demo', deviceCreatedBy: 'key_1', requestedBy: 'key_1' };
    const base: RecordingDocument = { _id: id, ...of, ...facts, hostId: 'host-1', state: 'recording' };
    expect(await parts.recordings.begin({ ...base, ...more })).to.equal(true);
    await parts.files.make(id);
  }
  const hasFolder = (id: string): Promise<boolean> =>
    stat(join(parts.files.path(id, 0), '..')).then(
      () => true,
      () => false,
    );

  it('lists a recording whose process ended as interrupted, with the length that was stored last', async () => {
    await insert('rec_1', { underWay: 'ph_1' });
    await writeFile(parts.files.path('rec_1', 0), Buffer.concat([WHOLE, Buffer.from('half')]));
    await sweepRecordings(parts, NEVER);
    const found = await parts.recordings.find('rec_1');
    expect(found).to.include({ state: 'interrupted', segments: 1, sizeBytes: WHOLE.length, durationMs: 5_000 });
    expect(found).to.include({ reason: 'The service ended while it recorded.', eventPending: true });
    expect(found?.endedAt?.getTime()).to.equal(clock.now() + 5_000);
    // The phone can be recorded again.
    await insert('rec_2', { underWay: 'ph_1' });
  });

  it('forgets a recording that had no picture', async () => {
    await insert('rec_1', { underWay: 'ph_1' });
    await sweepRecordings(parts, NEVER);
    expect(await parts.recordings.find('rec_1')).to.equal(null);
    expect(await hasFolder('rec_1')).to.equal(false);
  });

  it('leaves one that ended while those before it were mended', async () => {
    const end = { state: 'ready', endedAt: new Date(clock.now()), durationMs: 1, segments: 0, sizeBytes: 0 } as const;
    await insert('rec_1', { underWay: 'ph_1' });
    await insert('rec_2', { phoneId: 'ph_2', underWay: 'ph_2' });
    const mend = parts.files.mend.bind(parts.files);
    parts.files.mend = async (id) => {
      await parts.recordings.end('rec_2', { ...end, hasSecrets: false });
      return mend(id);
    };
    await sweepRecordings(parts, NEVER);
    expect(await parts.recordings.find('rec_1')).to.equal(null);
    expect(await parts.recordings.find('rec_2')).to.include({ state: 'ready' });
    expect(await hasFolder('rec_2')).to.equal(true);
  });

  it('leaves one that begins in this process, and goes on with the others after a failure', async () => {
    const begins = parts.recorders.begin('rec_1');
    await insert('rec_1', { underWay: 'ph_1' });
    await insert('rec_2', { phoneId: 'ph_2' });
    await insert('rec_3', { phoneId: 'ph_3' });
    const { files } = parts;
    const broken = new Proxy(files, {
      get: (_target, name) =>
        name === 'mend'
          ? (id: string) => (id === 'rec_2' ? Promise.reject(new Error('EACCES')) : files.mend(id))
          : (Reflect.get(files, name) as () => unknown).bind(files),
    });
    await sweepRecordings({ ...parts, files: broken }, NEVER);
    const states = ['rec_1', 'rec_2', 'rec_3'].map(async (id) => (await parts.recordings.find(id))?.state);
    expect(await Promise.all(states)).to.deep.equal(['recording', 'recording', undefined]);
    begins.end();
    await sweepRecordings(parts, NEVER);
    expect(await parts.recordings.find('rec_1')).to.equal(null);
  });

  it('leaves those of other hosts', async () => {
    await insert('rec_1', { hostId: 'host-2' });
    await sweepRecordings(parts, NEVER);
    expect((await parts.recordings.find('rec_1'))?.state).to.equal('recording');
  });

  it('removes those whose days are over, and those that are marked, with their files', async () => {
    await insert('rec_1', { state: 'ready', endedAt: new Date(clock.now()) });
    await insert('rec_2', { state: 'failed', endedAt: new Date(clock.now() + DAY_MS) });
    await insert('rec_3', { state: 'deleting' });
    clock.turn(7 * DAY_MS);
    await sweepRecordings(parts, NEVER);
    expect(await parts.recordings.find('rec_1')).to.equal(null);
    expect((await parts.recordings.find('rec_2'))?.state).to.equal('failed');
    expect(await parts.recordings.find('rec_3')).to.equal(null);
    expect(await Promise.all(['rec_1', 'rec_2', 'rec_3'].map(hasFolder))).to.deep.equal([false, true, false]);
  });

  it('removes folders without a recording, recordings without a folder, and those of devices that are gone', async () => {
    await parts.files.make('rec_left');
    await insert('rec_1', { state: 'ready', endedAt: new Date(clock.now()), phoneId: 'ph_gone' });
    await insert('rec_2', { state: 'ready', endedAt: new Date(clock.now()) });
    await insert('rec_3', { state: 'ready', endedAt: new Date(clock.now()) });
    await parts.files.remove('rec_3');
    await sweepLeft(parts, NEVER);
    await sweepRecordings(parts, NEVER);
    expect(await hasFolder('rec_left')).to.equal(false);
    expect(await parts.recordings.find('rec_1')).to.equal(null);
    expect((await parts.recordings.find('rec_2'))?.state).to.equal('ready');
    expect(await parts.recordings.find('rec_3'), 'without files').to.equal(null);
  });
});
