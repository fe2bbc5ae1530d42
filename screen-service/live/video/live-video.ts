import type { Timer } from '../../../kit/clock.js';
import type { ReachedPhone } from '../../phones/reached-phone.js';
import type { ScrcpyControl } from './scrcpy-control.js';
import { ScrcpySession, type VideoForm } from './scrcpy-session.js';
import type { UnitQueue } from './unit-queue.js';
import type { VideoConfiguration, VideoUnit } from './video-unit.js';

interface Size {
  width: number;
  height: number;
}

/** A stream that watches the video. */
export interface VideoViewer {
  form: VideoForm;
  units: UnitQueue;
  /** Called when there is a unit, or the video has failed. */
  onNews(): void;
}

/** The encoder goes on for this time after its last viewer, ms: a page that is loaded again finds it running. */
const LINGER_MS = 3_000;

/** Between two requests for a key frame, ms: of a viewer that is new, and of one that was too slow. Each costs all viewers the bytes of one. */
const NEW_KEY_EVERY_MS = 100;
const SLOW_KEY_EVERY_MS = 1_000;

/** A larger encoding is not started sooner than this after the one before, ms: viewers of ever larger sizes would cost the phone a server each. */
const GROW_EVERY_MS = 1_000;

/** A viewer can begin with units that came within this time, ms: it decodes them at once. */
const RECENT_MS = 300;

/** After a failure the phone is taken to have no video for this time, ms; and after so many, for good. */
const REST_MS = 60_000;
const FAILURES_MOST = 3;
/** A run that lasted for so long was none of them, ms. */
const WORKED_MS = 30_000;

/**
 * The screen of one phone as video, encoded by the phone: once for all viewers, in the largest size and at the highest rate that one of
 * them requests. Each viewer begins with a key frame, and one that is too slow goes on with a later one.
 */
export class LiveVideo {
  readonly #phone: ReachedPhone;
  readonly #file: Uint8Array | undefined;
  readonly #viewers = new Set<VideoViewer>();
  /** The one that viewers get, and a larger one that takes its place with its first key frame. */
  #session: ScrcpySession | undefined;
  #next: ScrcpySession | undefined;
  /** The units since the latest key frame, while a new viewer may begin with them: few, or of a screen that became still soon after it. */
  #recent: VideoUnit[] = [];
  #lastKeyRequestMs = -Infinity;
  #keyTimer: { timer: Timer; atMs: number } | undefined;
  #linger: Timer | undefined;
  #grow: Timer | undefined;
  #startedMs = -Infinity;
  #failures = 0;
  #workingSinceMs = Infinity;
  #restUntilMs = -Infinity;
  #failure: { error: Error; atMs: number } | undefined;
  #screen: { video: Size; screen: Size } | undefined;
  #isClosed = false;

  /** `file`: scrcpy's server. Undefined: no phone has video. */
  constructor(phone: ReachedPhone, file: Uint8Array | undefined) {
    this.#phone = phone;
    this.#file = file;
  }

  /** Whether the phone may have video: it is not known before it was tried. */
  get isOffered(): boolean {
    return (
      this.#file !== undefined &&
      !this.#isClosed &&
      this.#failures < FAILURES_MOST &&
      this.#phone.clock.monotonicMs() >= this.#restUntilMs
    );
  }

  /** Why there is no video although it is watched, and for how long, ms. */
  get failing(): { error: Error; forMs: number } | undefined {
    const failure = this.#failure;
    return failure && { error: failure.error, forMs: this.#phone.clock.monotonicMs() - failure.atMs };
  }

  /** Whether the phone's display is off, so that there are no pictures for new viewers. */
  get isAsleep(): boolean {
    return this.#session?.isAsleep === true;
  }

  /** The present picture's; undefined while there is none. */
  get configuration(): VideoConfiguration | undefined {
    return this.#session?.configuration;
  }

  /** The way for input that comes with the video; undefined while there is none. */
  get control(): ScrcpyControl | undefined {
    return this.#session?.control;
  }

  /** The size of the screen that a video of this size shows, pixels; undefined where it is not known. */
  knownScreen(video: Size): Size | undefined {
    const known = this.#screen;
    return known?.video.width === video.width && known.video.height === video.height ? known.screen : undefined;
  }

  setScreen(video: Size, screen: Size): void {
    this.#screen = { video: { width: video.width, height: video.height }, screen };
  }

  /** Of the present video. */
  get screen(): Size | undefined {
    const { configuration } = this;
    return configuration && this.knownScreen(configuration);
  }

  /** Adds a viewer. The function that is returned removes it. */
  watch(viewer: VideoViewer): () => void {
    this.#viewers.add(viewer);
    this.#linger?.cancel();
    this.#linger = undefined;
    for (const unit of this.#recent) viewer.units.push(unit);
    if (viewer.units.needsKey) this.wantKey(NEW_KEY_EVERY_MS);
    this.#ensure();
    return () => {
      if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return;
      this.#linger = this.#phone.clock.after(LINGER_MS, () => this.#stop());
    };
  }

  /** A viewer that was too slow can go on once there is a key frame. */
  wantKey(everyMs = SLOW_KEY_EVERY_MS): void {
    const atMs = this.#lastKeyRequestMs + everyMs;
    if (this.#keyTimer !== undefined && this.#keyTimer.atMs <= atMs) return;
    this.#keyTimer?.timer.cancel();
    const waitMs = Math.max(0, atMs - this.#phone.clock.monotonicMs());
    this.#keyTimer = { timer: this.#phone.clock.after(waitMs, () => this.#requestKey()), atMs };
  }

  close(): void {
    this.#isClosed = true;
    this.#stop();
  }

  #requestKey(): void {
    this.#keyTimer = undefined;
    // A session that has yet to send its first picture begins with a key frame.
    const session = this.#session;
    if (session?.control === undefined || ![...this.#viewers].some(({ units }) => units.needsKey)) return;
    this.#lastKeyRequestMs = this.#phone.clock.monotonicMs();
    session.requestKey();
    // Again, if it is lost with an encoder that was just ending.
    this.wantKey();
  }

  /** Starts what is missing for the viewers. */
  #ensure(): void {
    const viewers = [...this.#viewers];
    if (viewers.length === 0 || !this.isOffered) return;
    const wanted: VideoForm = {
      maxSize: Math.max(...viewers.map(({ form }) => form.maxSize)),
      fps: Math.max(...viewers.map(({ form }) => form.fps)),
    };
    const coming = this.#next ?? this.#session;
    if (coming !== undefined && coming.form.maxSize >= wanted.maxSize && coming.form.fps >= wanted.fps) return;
    this.#grow?.cancel();
    const waitMs = coming === undefined ? 0 : this.#startedMs + GROW_EVERY_MS - this.#phone.clock.monotonicMs();
    if (waitMs > 0) {
      this.#grow = this.#phone.clock.after(waitMs, () => this.#ensure());
      return;
    }
    this.#next?.stop();
    void this.#run(wanted);
  }

  async #run(form: VideoForm): Promise<void> {
    if (this.#file === undefined) return;
    this.#startedMs = this.#phone.clock.monotonicMs();
    const session: ScrcpySession = new ScrcpySession(
      this.#phone,
      this.#file,
      form,
      (unit) => this.#see(session, unit),
      () => this.#notify(),
    );
    this.#next = session;
    try {
      await session.run();
    } catch (error) {
      this.#fail(error, session);
    } finally {
      if (this.#session === session) this.#session = undefined;
      if (this.#next === session) this.#next = undefined;
    }
    this.#ensure();
  }

  #fail(error: unknown, session: ScrcpySession): void {
    const { clock, log } = this.#phone;
    const hasWorked = this.#session === session;
    if (!hasWorked && this.#next !== session) return;
    log.info({ err: error }, 'the video of the phone ended');
    if (!hasWorked && this.#session !== undefined) {
      // Some phones encode one video at a time: the larger one is started again, after the present one.
      this.#session.stop();
      this.#session = undefined;
      this.#recent = [];
      return;
    }
    if (hasWorked && clock.monotonicMs() - this.#workingSinceMs > WORKED_MS) this.#failures = 0;
    // One that has worked is started again at once, for the viewers that are there.
    if (!hasWorked || this.#failures > 0) this.#restUntilMs = clock.monotonicMs() + REST_MS;
    this.#failures++;
    const cause = error instanceof Error ? error : new Error(String(error));
    this.#failure ??= { error: cause, atMs: clock.monotonicMs() };
    this.#recent = [];
    for (const viewer of this.#viewers) {
      viewer.units.drop();
      viewer.onNews();
    }
  }

  #see(session: ScrcpySession, unit: VideoUnit): void {
    if (session === this.#next && unit.isKey) {
      this.#session?.stop();
      this.#session = session;
      this.#next = undefined;
      this.#workingSinceMs = this.#phone.clock.monotonicMs();
    }
    if (session !== this.#session) return;
    this.#failure = undefined;
    this.#keep(unit);
    for (const viewer of this.#viewers) {
      viewer.units.push(unit);
      viewer.onNews();
    }
  }

  #notify(): void {
    for (const viewer of this.#viewers) viewer.onNews();
  }

  #keep(unit: VideoUnit): void {
    if (unit.isKey) this.#recent = [];
    const [key = unit] = this.#recent;
    const isShort = key.isKey && unit.cameMs - key.cameMs <= RECENT_MS;
    this.#recent = isShort ? [...this.#recent, unit] : [];
  }

  #stop(): void {
    this.#linger?.cancel();
    this.#grow?.cancel();
    this.#keyTimer?.timer.cancel();
    this.#keyTimer = undefined;
    this.#recent = [];
    this.#failure = undefined;
    this.#next?.stop();
    this.#session?.stop();
    this.#session = undefined;
    this.#next = undefined;
  }
}
