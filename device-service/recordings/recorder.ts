import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Timer } from '../../kit/async/clock.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { databaseUnavailable } from '../../kit/errors/database-unavailable.js';
import type { RecordScreenResponse } from '../../proto/gen/cloudphone/screen/v1/recorder_service_pb.js';
import { noteUse } from '../devices/phones/note-use.js';
import type { RecordingDocument } from '../store/recordings.js';
import { RecordingWriter } from './files/recording-writer.js';
import { isGroupOver } from './is-group-over.js';
import { LAST_PIECE_MS, PHONE_CHECK_MS, QUOTA_CHECK_MS } from './limits.js';
import type { PlannedEnd, StoppableRecorder } from './recorders.js';
import type { RecordingsContext } from './recordings-context.js';

/** What a recorder works with. */
export type RecorderParts = Pick<
  RecordingsContext,
  | 'recordings'
  | 'devices'
  | 'groups'
  | 'quotas'
  | 'files'
  | 'recordingSpace'
  | 'recordingEvents'
  | 'recordingMetrics'
  | 'clock'
  | 'log'
>;

export interface RecorderOptions {
  recording: RecordingDocument;
  /** The start of the phone that is recorded. */
  generation: number;
  maxS: number;
}

/** The pieces of a recording, as the screen service sends them. */
export interface PieceStream {
  responses: AsyncIterator<RecordScreenResponse>;
  /** Lets the screen service send its last piece and end. */
  finish(): void;
  /** Breaks the stream off. */
  abort(reason: Error): void;
}

/**
 * Stores the pieces of one recording, and ends it for whatever reason comes first. Each piece is on the disk before the next one is read,
 * so a crash of this process or another one loses about a second. After a crash of this process, the document still has the state
 * `recording`; the next process of the host mends the files and notes the end (sweep-recordings.ts).
 */
export class Recorder implements StoppableRecorder {
  readonly #context: RecorderParts;
  readonly #options: RecorderOptions;
  readonly #stream: PieceStream;
  readonly #writer: RecordingWriter;
  readonly #timers: Timer[] = [];
  #planned: PlannedEnd | undefined;
  #durationMs = 0;
  #hasSecrets = false;
  #quotaCheckMs: number;
  #isOver = false;

  constructor(context: RecorderParts, options: RecorderOptions, stream: PieceStream) {
    this.#context = context;
    this.#options = options;
    this.#stream = stream;
    this.#writer = new RecordingWriter(options.recording._id, context.files, context.recordingSpace);
    this.#quotaCheckMs = context.clock.monotonicMs();
  }

  /** Ends the recording with its last picture. The first reason counts. */
  stop(planned: PlannedEnd): void {
    if (this.#planned !== undefined || this.#isOver) return;
    this.#planned = planned;
    this.#stream.finish();
    const late = new Error('the last piece of a recording did not come in time');
    this.#timers.push(this.#context.clock.after(LAST_PIECE_MS, () => this.#stream.abort(late)));
  }

  /** Waits for the first picture. Throws the reason when there is none. Then nothing of the recording stays. */
  async begin(): Promise<RecordingDocument> {
    try {
      return await this.#begin();
    } catch (error) {
      this.#isOver = true;
      for (const timer of this.#timers) timer.cancel();
      this.#stream.abort(new Error('the recording did not begin'));
      await this.#writer.close();
      throw isNoRoom(error) ? new ApiError('unavailable', NO_ROOM, { cause: error }) : error;
    }
  }

  async #begin(): Promise<RecordingDocument> {
    const { recordings, clock } = this.#context;
    const first = await this.#stream.responses.next();
    if (first.done === true) throw endedEarly();
    const startedAt = new Date(clock.now());
    if (!(await recordings.started(this.#options.recording._id, startedAt)))
      throw new ApiError('not_found', 'The recording was deleted before its first picture.');
    await this.#store(first.value);
    // A recording that is stopped before its first picture ends with a response without one.
    if (this.#writer.segments === 0) throw endedEarly();
    return { ...this.#options.recording, startedAt, ...this.#progress() };
  }

  /** Stores what follows the first picture, and notes the end. Never rejects. */
  async run(recording: RecordingDocument): Promise<void> {
    const { clock } = this.#context;
    const { maxS } = this.#options;
    const timeOver = (): void => this.stop({ state: 'ready', reason: `Its time of ${maxS} s was over.` });
    this.#timers.push(clock.after(maxS * 1_000, timeOver));
    this.#checkPhoneLater();
    let end: PlannedEnd;
    try {
      for (let next = await this.#next(); next.done !== true; next = await this.#next()) await this.#store(next.value);
      end = this.#planned ?? { state: 'interrupted', reason: 'The recording was broken off.' };
    } catch (error) {
      end = await this.#endBy(error);
    }
    this.#isOver = true;
    for (const timer of this.#timers) timer.cancel();
    this.#stream.abort(new Error('the recording is over'));
    await this.#noteEnd(recording, end);
  }

  #next(): Promise<IteratorResult<RecordScreenResponse>> {
    return this.#stream.responses.next();
  }

  #progress() {
    const { segments, sizeBytes } = this.#writer;
    return { segments, sizeBytes, durationMs: this.#durationMs, hasSecrets: this.#hasSecrets };
  }

  async #store({ pieces, durationMs, hasSecrets }: RecordScreenResponse): Promise<void> {
    const { recordings, recordingMetrics, quotas, clock, log } = this.#context;
    const { _id, accountId } = this.#options.recording;
    const before = this.#writer.sizeBytes;
    // Before the pieces: after a crash in between, no video with a secret is listed as one without.
    const isNew = hasSecrets && !this.#hasSecrets;
    this.#hasSecrets = hasSecrets;
    if (isNew) await recordings.progress(_id, this.#progress()).catch(ignoreOutage);
    await this.#writer.write(pieces);
    recordingMetrics.wrote(this.#writer.sizeBytes - before);
    this.#durationMs = durationMs;
    try {
      if (!(await recordings.progress(_id, this.#progress()))) this.stop({ state: 'ready' });
      if (clock.monotonicMs() - this.#quotaCheckMs < QUOTA_CHECK_MS) return;
      this.#quotaCheckMs = clock.monotonicMs();
      const full = await quotas.fullText(accountId);
      if (full !== undefined) this.stop({ state: 'failed', reason: full });
    } catch (error) {
      // The files go on without the database, which only shows an earlier length.
      if (databaseUnavailable(error) === undefined) throw error;
      log.warn({ recording: _id, err: error }, 'the progress of a recording could not be noted');
    }
  }

  #checkPhoneLater(): void {
    const { clock, log } = this.#context;
    const check = async (): Promise<void> => {
      const off = await this.#offReason();
      if (off !== undefined) this.stop({ state: 'ready', reason: off });
      else if (await isGroupOver(this.#context.groups, this.#options.recording)) this.stop({ state: 'ready' });
    };
    const timer = clock.after(PHONE_CHECK_MS, () => {
      this.#timers.splice(this.#timers.indexOf(timer), 1);
      begunAhead(check())
        .catch((error: unknown) => log.warn({ err: error }, 'the phone of a recording could not be checked'))
        .finally(() => {
          if (!this.#isOver && this.#planned === undefined) this.#checkPhoneLater();
        });
    });
    this.#timers.push(timer);
  }

  /** Returns why the phone is not on any more; undefined while it is. A recording is a use of the phone. */
  async #offReason(): Promise<string | undefined> {
    const { devices } = this.#context;
    const device = await devices.findById(this.#options.recording.phoneId);
    if (device === null || device.gone === true) return 'The device was deleted.';
    if (device.state !== 'running') return `The phone is ${device.state}.`;
    if (device.generation !== this.#options.generation) return 'The phone was restarted.';
    await noteUse(this.#context, device);
    return undefined;
  }

  async #endBy(error: unknown): Promise<PlannedEnd> {
    const { log } = this.#context;
    if (isNoRoom(error)) {
      return { state: 'failed', reason: NO_ROOM };
    }
    if (this.#planned !== undefined) return this.#planned;
    const off = await this.#offReason().catch(() => undefined);
    if (off !== undefined) return { state: 'ready', reason: off };
    log.warn({ recording: this.#options.recording._id, err: error }, 'a recording was broken off');
    const reason =
      error instanceof ApiError ? error.message : 'The recording was broken off by a fault of the service.';
    return { state: 'interrupted', reason };
  }

  async #noteEnd(recording: RecordingDocument, planned: PlannedEnd): Promise<void> {
    const { recordings, recordingEvents, recordingMetrics, clock, log } = this.#context;
    recordingMetrics.ended(planned.state);
    try {
      await this.#writer.close();
      const endedAt = new Date(clock.now());
      await recordings.end(recording._id, { ...this.#progress(), ...planned, endedAt });
      recordingEvents.soon();
    } catch (error) {
      log.warn(
        { recording: recording._id, err: error },
        'the end of a recording could not be noted; the sweep does so',
      );
    }
  }
}

const NO_ROOM = "The disk of the phone's host is full. Make room, or ask the operator for more, then record again.";

/** The files go on without the database, which gets the note with the next piece. */
function ignoreOutage(error: unknown): void {
  if (databaseUnavailable(error) === undefined) throw error;
}

function isNoRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT');
}

function endedEarly(): ApiError {
  return new ApiError('unavailable', 'The recording was ended before its first picture.');
}
