import type { Timer } from '../../../kit/async/clock.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { KeyRequests } from './key-requests.js';
import type { ScrcpyControl } from './scrcpy-control.js';
import { ScrcpySession, type VideoForm } from './scrcpy-session.js';
import type { UnitQueue } from './unit-queue.js';
import { VideoFailures } from './video-failures.js';
import { changeVideo, nextOf, shownOf, type VideoEvent, type VideoState } from './video-state.js';
import type { VideoConfiguration, VideoUnit } from './video-unit.js';

interface Size {
  width: number;
  height: number;
}

/** A stream that watches the video. */
export interface VideoViewer {
  form: VideoForm;
  units: UnitQueue;
  /** Is called when there is a unit, or the video has failed. */
  onNews(): void;
}

/** How long the encoder goes on after its last viewer has left, ms. A page that is loaded again finds it running. */
const LINGER_MS = 3_000;

/** The shortest time between a request for a key frame and the next one for a new viewer, ms. */
const NEW_KEY_EVERY_MS = 100;

/**
 * The shortest time between the starts of two encodings, ms. Without this bound, viewers that each want a larger size would each start a
 * server on the phone.
 */
const GROW_EVERY_MS = 1_000;

/** A viewer can begin with a key frame and the units that came within this time after it, ms: it decodes them at once. */
const RECENT_MS = 300;

/**
 * Makes a phone encode its screen as video, once for all viewers. The video has the largest size and the highest rate that a viewer
 * requests. Each viewer begins with a key frame, and one that is too slow goes on with a later key frame.
 */
export class LiveVideo {
  readonly #phone: ReachedPhone;
  readonly #file: Uint8Array | undefined;
  readonly #viewers = new Set<VideoViewer>();
  readonly #failures: VideoFailures;
  readonly #keys: KeyRequests;
  #state: VideoState<ScrcpySession> = { kind: 'off' };
  /**
   * The latest key frame and the units after it, with which a new viewer may begin. The first unit that comes more than RECENT_MS after the
   * key frame empties the list.
   */
  #recent: VideoUnit[] = [];
  #linger: Timer | undefined;
  #grow: Timer | undefined;
  #startedMs = -Infinity;
  #screen: { video: Size; screen: Size } | undefined;

  /** `file`: scrcpy's server. Undefined: no phone has video. */
  constructor(phone: ReachedPhone, file: Uint8Array | undefined) {
    this.#phone = phone;
    this.#file = file;
    this.#failures = new VideoFailures(phone.clock);
    this.#keys = new KeyRequests(phone.clock, () => this.#requestKey());
  }

  /** Whether the phone may have video. Only a try shows whether it has. */
  get isOffered(): boolean {
    return this.#file !== undefined && this.#state.kind !== 'closed' && this.#failures.mayTry;
  }

  /** Why there is no video although it is watched, and for how long, ms. */
  get failing(): { error: Error; forMs: number } | undefined {
    return this.#failures.failing;
  }

  /** Whether the phone's display is off, so that there are no pictures for new viewers. */
  get isAsleep(): boolean {
    return this.#shown?.isAsleep === true;
  }

  /** The configuration of the present picture; undefined while there is none. */
  get configuration(): VideoConfiguration | undefined {
    return this.#shown?.configuration;
  }

  /** The control socket that comes with the video; undefined while there is none. */
  get control(): ScrcpyControl | undefined {
    return this.#shown?.control;
  }

  /** The size of the screen that a video of this size shows, pixels; undefined where it is not known. */
  knownScreen(video: Size): Size | undefined {
    const known = this.#screen;
    return known?.video.width === video.width && known.video.height === video.height ? known.screen : undefined;
  }

  setScreen(video: Size, screen: Size): void {
    this.#screen = { video: { width: video.width, height: video.height }, screen };
  }

  /** The size of the screen that the present video shows; undefined where it is not known. */
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
    if (viewer.units.needsKey) this.#keys.want(NEW_KEY_EVERY_MS);
    this.#ensure();
    return () => {
      if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return;
      this.#linger = this.#phone.clock.after(LINGER_MS, () => this.#stop());
    };
  }

  /** Requests a key frame, with which a viewer that was too slow can go on. */
  wantKey(): void {
    this.#keys.want();
  }

  close(): void {
    this.#stop('closed');
  }

  get #shown(): ScrcpySession | undefined {
    return shownOf(this.#state)?.run;
  }

  #requestKey(): boolean {
    // A session that has yet to send its first picture begins with a key frame.
    const session = this.#shown;
    if (session?.control === undefined || ![...this.#viewers].some(({ units }) => units.needsKey)) return false;
    session.requestKey();
    return true;
  }

  /** Starts what is missing for the viewers. */
  #ensure(): void {
    const viewers = [...this.#viewers];
    if (viewers.length === 0 || !this.isOffered) return;
    const wanted: VideoForm = {
      maxSize: Math.max(...viewers.map(({ form }) => form.maxSize)),
      fps: Math.max(...viewers.map(({ form }) => form.fps)),
    };
    const coming = nextOf(this.#state) ?? this.#shown;
    if (coming !== undefined && coming.form.maxSize >= wanted.maxSize && coming.form.fps >= wanted.fps) return;
    this.#grow?.cancel();
    const waitMs = coming === undefined ? 0 : this.#startedMs + GROW_EVERY_MS - this.#phone.clock.monotonicMs();
    if (waitMs > 0) {
      this.#grow = this.#phone.clock.after(waitMs, () => this.#ensure());
      return;
    }
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
    this.#change({ kind: 'started', next: session });
    try {
      await session.run();
    } catch (error) {
      this.#lose(session, error);
    }
    this.#ensure();
  }

  #change(event: VideoEvent<ScrcpySession>): { sinceMs: number | undefined } | undefined {
    const { state, stops = [], failed } = changeVideo(this.#state, event);
    if (shownOf(state)?.run !== this.#shown) this.#recent = [];
    this.#state = state;
    for (const session of stops) session.stop();
    return failed;
  }

  #lose(session: ScrcpySession, error: unknown): void {
    if (session !== this.#shown && session !== nextOf(this.#state)) return;
    this.#phone.log.info({ err: error }, 'the video of the phone ended');
    const failed = this.#change({ kind: 'lost', of: session });
    if (failed === undefined) return;
    this.#failures.add(error, failed.sinceMs);
    for (const viewer of this.#viewers) {
      viewer.units.drop();
      viewer.onNews();
    }
  }

  #see(session: ScrcpySession, unit: VideoUnit): void {
    if (unit.isKey) this.#change({ kind: 'key', of: session, atMs: this.#phone.clock.monotonicMs() });
    if (session !== this.#shown) return;
    this.#failures.over();
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

  #stop(kind: 'stopped' | 'closed' = 'stopped'): void {
    this.#linger?.cancel();
    this.#grow?.cancel();
    this.#keys.cancel();
    this.#failures.over();
    this.#change({ kind });
  }
}
