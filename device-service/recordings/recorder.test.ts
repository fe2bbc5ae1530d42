import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { create } from '@bufbuild/protobuf';
import { expect } from 'chai';
import { Registry } from 'prom-client';
import { ApiError } from '../../kit/errors/api-error.js';
import { HostSpace } from '../../kit/files/host-space.js';
import { silentLog } from '../../kit/log/log.js';
import { Wakeup } from '../../kit/ops/periodic-tasks.js';
import {
  type RecordScreenResponse,
  RecordScreenResponseSchema,
} from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { deviceDocument } from '../../testing/device-document.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { until } from '../../testing/until.js';
import { DeviceStore } from '../store/devices.js';
import type { GroupDevice, GroupDocument } from '../store/groups.js';
import { type RecordingDocument, RecordingStore } from '../store/recordings.js';
import { RecordingFiles } from './files/recording-files.js';
import { PHONE_CHECK_MS, QUOTA_CHECK_MS } from './limits.js';
import { recordingMetrics } from './metrics.js';
import { type PieceStream, Recorder, type RecorderParts } from './recorder.js';

const GIB = 1024 ** 3;

/** A screen service that sends what the test has it send. */
class FakeStream implements PieceStream {
  readonly #waiting: ((step: () => IteratorResult<RecordScreenResponse>) => void)[] = [];
  readonly #steps: (() => IteratorResult<RecordScreenResponse>)[] = [];
  isFinished = false;

  readonly responses: AsyncIterator<RecordScreenResponse> = {
    next: async () => {
      const step = this.#steps.shift();
      if (step !== undefined) return step();
      return (
        await new Promise<() => IteratorResult<RecordScreenResponse>>((resolve) => this.#waiting.push(resolve))
      )();
    },
  };

  send(text: string, durationMs: number, offset: number): void {
    const pieces = [{ segment: 0, offset, data: Buffer.from(text) }];
    const value = create(RecordScreenResponseSchema, { pieces, durationMs });
    this.#add(() => ({ done: false, value }));
  }

  fail(error: unknown): void {
    this.#add(() => {
      throw error;
    });
  }

  /** As the screen service does, it sends a last response, without a piece where there was no picture. */
  finish(): void {
    this.isFinished = true;
    this.#add(() => ({ done: false, value: create(RecordScreenResponseSchema) }));
    this.#add(() => ({ done: true, value: undefined }));
  }

  abort(): void {
    this.#add(() => ({ done: true, value: undefined }));
  }

  #add(step: () => IteratorResult<RecordScreenResponse>): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#steps.push(step);
    else waiting(step);
  }
}

describe('a recorder', () => {
  let opened: TemporaryDatabase;
  let clock: FakeClock;
  let parts: RecorderParts;
  let stream: FakeStream;
  let freeBytes: number;
  let quotaText: string | undefined;
  let database: () => Promise<void>;
  let looks = 0;
  /** The group that made the recording, as the database has it. It was read `looks` times. */
  let group: Pick<GroupDocument, 'devices' | 'outcome'> | null;
  beforeEach(async () => {
    opened = await openTemporaryDatabase();
    clock = new FakeClock();
    stream = new FakeStream();
    freeBytes = 2 * GIB;
    quotaText = undefined;
    database = () => Promise.resolve();
    group = null;
    const recordings = new RecordingStore(opened.database);
    const devices = new DeviceStore(opened.database);
    await recordings.createIndexes();
    await devices.insert(deviceDocument({ _id: 'ph_1', state: 'running', generation: 3 }));
    parts = {
      ...{ recordings, devices, clock, log: silentLog },
      groups: { find: async () => (looks++, group) } as unknown as RecorderParts['groups'],
      quotas: { fullText: async () => quotaText } as unknown as RecorderParts['quotas'],
      files: new RecordingFiles(join(await mkdtemp(join(tmpdir(), 'recorder-')), 'recordings')),
      recordingSpace: new HostSpace({ measure: async () => ({ freeBytes }), clock }),
      recordingEvents: new Wakeup(),
      recordingMetrics: recordingMetrics(new Registry(), () => 0),
    };
    await parts.files.make('rec_1');
  });
  afterEach(() => opened.close());

  async function insert(groupId?: string): Promise<RecordingDocument> {
    const recording: RecordingDocument = {
      ...{ _id: 'rec_1', accountId: 'acc_1', phoneId: 'ph_1', device: 'demo', deviceCreatedBy: 'key_1' },
      ...{ requestedBy: 'key_1', hostId: 'host-1', state: 'recording', underWay: 'ph_1' },
      ...{ startedAt: new Date(clock.now()), durationMs: 0, sizeBytes: 0, segments: 0, hasSecrets: false },
      ...(groupId !== undefined && { groupId }),
    };
    expect(await parts.recordings.begin(recording)).to.equal(true);
    return recording;
  }

  /** Begins a recording, and returns the promise of its end. */
  async function begin(maxS = 600, groupId?: string): Promise<{ recorder: Recorder; ended: Promise<void> }> {
    const recording = await insert(groupId);
    const recorder = new Recorder(parts, { recording, generation: 3, maxS }, stream);
    stream.send('begin', 0, 0);
    const begun = await recorder.begin();
    expect(begun).to.include({ segments: 1, sizeBytes: 5 });
    return { recorder, ended: recorder.run(begun) };
  }
  const stored = async (): Promise<RecordingDocument | null> => {
    await database();
    return parts.recordings.find('rec_1');
  };

  it('does not begin where it is stopped before its first picture', async () => {
    const recorder = new Recorder(parts, { recording: await insert(), generation: 3, maxS: 600 }, stream);
    const beginning = recorder.begin().catch((error: unknown) => error);
    recorder.stop({ state: 'ready' });
    expect(await beginning).to.include({ kind: 'unavailable' });
  });

  it('stores each piece before the next, and ends as ready when it is stopped', async () => {
    const { recorder, ended } = await begin();
    stream.send('+more', 1_000, 5);
    await until(async () => (await stored())?.durationMs === 1_000);
    expect((await readFile(parts.files.path('rec_1', 0))).toString()).to.equal('begin+more');
    recorder.stop({ state: 'ready' });
    expect(stream.isFinished).to.equal(true);
    await ended;
    expect(await stored()).to.include({ state: 'ready', sizeBytes: 10, eventPending: true });
    expect(await stored()).not.to.have.any.keys('underWay', 'reason');
  });

  it('ends as ready after its time, and when the phone goes off', async () => {
    const timed = await begin(5);
    clock.turn(5_000);
    await timed.ended;
    expect(await stored()).to.include({ state: 'ready', reason: 'Its time of 5 s was over.' });
    await parts.recordings.forget('rec_1');
    await parts.files.remove('rec_1');
    await parts.files.make('rec_1');
    stream = new FakeStream();
    const stopped = await begin();
    await opened.database
      .collection('devices')
      .updateOne({ phoneId: { $exists: false } }, { $set: { state: 'stopping' } });
    await clock.pass(1_500);
    await stopped.ended;
    expect(await stored()).to.include({ state: 'ready', reason: 'The phone is stopping.' });
  });

  it('ends as interrupted when the video breaks off, with what was stored until then', async () => {
    const { ended } = await begin();
    stream.send('+more', 1_000, 5);
    stream.fail(new ApiError('unavailable', 'The video of the phone ended.'));
    await ended;
    expect(await stored()).to.include({ state: 'interrupted', reason: 'The video of the phone ended.', sizeBytes: 10 });
  });

  it('leaves the causes of its own faults out of the reason', async () => {
    const { ended } = await begin();
    stream.fail(new Error('a secret path'));
    await ended;
    expect((await stored())?.reason).to.equal('The recording was broken off by a fault of the service.');
  });

  it('ends as failed when the disk is full, or the storage of the account', async () => {
    const first = await begin();
    freeBytes = GIB;
    clock.turn(500);
    stream.send('+more', 1_000, 5);
    await first.ended;
    expect(await stored()).to.include({ state: 'failed', sizeBytes: 5 });
    expect((await stored())?.reason).to.match(/^The disk of the phone's host is full/);
    await parts.recordings.forget('rec_1');
    await parts.files.remove('rec_1');
    await parts.files.make('rec_1');
    freeBytes = 2 * GIB;
    clock.turn(1_000);
    stream = new FakeStream();
    const second = await begin();
    quotaText = 'The account uses all of its storage.';
    clock.turn(QUOTA_CHECK_MS);
    stream.send('+more', 1_000, 5);
    await second.ended;
    expect(await stored()).to.include({ state: 'failed', reason: quotaText, sizeBytes: 10 });
  });

  it('has nothing to begin with where the stream ends or fails before a picture', async () => {
    const recorder = new Recorder(
      parts,
      { recording: { _id: 'rec_2' } as RecordingDocument, generation: 3, maxS: 1 },
      stream,
    );
    stream.fail(new ApiError('busy', 'The phone has no video.'));
    const refusal = await recorder.begin().catch((error: unknown) => error);
    expect(refusal).to.include({ kind: 'busy' });
  });

  describe('of a step of a group', () => {
    const device = (state: GroupDevice['state'], phoneId = 'ph_1'): GroupDevice => ({
      name: 'demo',
      phoneId,
      state,
      step: 1,
    });
    const ends: [string, typeof group][] = [
      ['has done its steps on the phone', { devices: [device('done')] }],
      ['has failed on the phone', { devices: [device('failed')] }],
      ['has left the rest out', { devices: [device('skipped')] }],
      [
        'has ended with a failure of its own',
        { devices: [device('running')], outcome: { state: 'failed', finishedAt: new Date() } },
      ],
      ['is gone', null],
    ];
    for (const [how, end] of ends) {
      it(`goes on with the group, and ends once the group ${how}`, async () => {
        group = { devices: [device('running'), device('done', 'ph_2')] };
        const { ended } = await begin(7_200, 'grp_1');
        const looksBefore = looks;
        await until(() => {
          clock.turn(PHONE_CHECK_MS);
          return looks >= looksBefore + 2;
        });
        expect([stream.isFinished, (await stored())?.state]).to.deep.equal([false, 'recording']);
        group = end;
        await until(() => {
          clock.turn(PHONE_CHECK_MS);
          return stream.isFinished;
        });
        await ended;
        expect(await stored())
          .to.include({ state: 'ready' })
          .and.not.have.property('reason');
      });
    }
  });
});
