import { begunAhead } from '../../kit/async/begun-ahead.js';
import { WakeSignal } from '../../kit/async/wake-signal.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { toChannels } from '../../phone/screen/pixels.js';
import type { VideoEncoder, VideoEncoders } from '../../phone/video/video-encoder.js';
import type { LiveFrame } from '../live/live-screen.js';
import { parseConfiguration } from '../live/video/parse-configuration.js';
import type { VideoForm } from '../live/video/scrcpy-session.js';
import type { VideoConfiguration, VideoUnit } from '../live/video/video-unit.js';
import type { WatchedPhone } from '../live/watched-phone.js';
import type { UnitSource } from './unit-source.js';
import { WaitingUnits } from './waiting-units.js';

/** Most pictures a second. Captures are what a phone without video can do, and more of them would slow it down. */
const MAX_FPS = 10;
/** Highest bit rate, bits a second. */
const MAX_BIT_RATE_BPS = 4_000_000;

/**
 * Video of a phone that makes none itself: its pictures, encoded by a program of this machine. The pictures are those of live screens, so
 * they cost nothing beside other viewers. Another size of the screen takes another encoder.
 */
export class PictureVideo implements UnitSource {
  readonly #live: WatchedPhone['live'];
  readonly #clock: WatchedPhone['clock'];
  readonly #encoders: VideoEncoders;
  readonly #form: VideoForm;
  readonly #onNews: () => void;
  readonly #end = new AbortController();
  readonly #leaveScreen: () => void;
  readonly #wake = new WakeSignal();
  readonly #units = new WaitingUnits();
  #failure: Error | undefined;

  constructor({ live, clock }: WatchedPhone, encoders: VideoEncoders, form: VideoForm, onNews: () => void) {
    this.#live = live;
    this.#clock = clock;
    this.#encoders = encoders;
    this.#form = { ...form, fps: Math.min(form.fps, MAX_FPS) };
    this.#onNews = onNews;
    this.#leaveScreen = live.watch({ fps: this.#form.fps, exact: true, onNews: () => this.#wake.wake() });
    begunAhead(this.#run()).catch((error: unknown) => {
      this.#failure ??= error instanceof Error ? error : new Error(String(error));
      this.#onNews();
    });
  }

  get failing() {
    const error = this.#failure ?? this.#units.failure;
    return error === undefined ? this.#live.failing : { error, forMs: 0 };
  }

  get isOver(): boolean {
    return this.#failure !== undefined || this.#units.failure !== undefined;
  }

  readonly leave = (): void => {
    this.#leaveScreen();
    this.#end.abort();
  };

  take(): VideoUnit[] {
    return this.#units.take();
  }

  async #run(): Promise<void> {
    const { signal } = this.#end;
    let shown: LiveFrame | undefined;
    let opened: { encoder: VideoEncoder; of: string; configuration: VideoConfiguration | undefined } | undefined;
    let dueMs = -Infinity;
    while (!signal.aborted) {
      const frame = this.#live.newest(true);
      const waitMs = dueMs - this.#clock.monotonicMs();
      if (frame?.pixels === undefined || frame === shown || waitMs > 0) {
        const timeout = waitMs > 0 ? { timeout: { clock: this.#clock, ms: waitMs } } : {};
        await this.#wake.wait({ signal, ...timeout });
        continue;
      }
      shown = frame;
      dueMs = this.#clock.monotonicMs() + 1_000 / this.#form.fps;
      const { data, channels } = toChannels(frame.pixels);
      const of = `${frame.width} ${frame.height} ${channels}`;
      if (opened?.of !== of) {
        opened?.encoder.close();
        opened = { encoder: this.#open(frame, channels), of, configuration: undefined };
      }
      const encoded = await opened.encoder.encode(data);
      if (encoded.configuration !== undefined) opened.configuration = parseConfiguration(encoded.configuration);
      if (opened.configuration === undefined) throw new Error('the encoder sent a picture without a configuration');
      const { data: bytes, isKey } = encoded;
      const { hasBegun } = this.#units;
      this.#units.add({ data: bytes, isKey, configuration: opened.configuration, cameMs: frame.beganMs });
      if (!hasBegun) this.#onNews();
    }
  }

  #open({ width, height }: LiveFrame, channels: 3 | 4): VideoEncoder {
    const scale = Math.min(1, this.#form.maxSize / Math.max(width, height));
    // Encoders take even sides alone.
    const even = (side: number): number => Math.max(2, 2 * Math.round((side * scale) / 2));
    const size = { width: even(width), height: even(height), source: { width, height } };
    const pixels = channels === 4 ? ('rgba' as const) : ('rgb24' as const);
    const form = { ...size, pixels, fps: this.#form.fps, bitRate: MAX_BIT_RATE_BPS };
    const encoder = this.#encoders.open(form, this.#end.signal);
    if (encoder !== undefined) return encoder;
    throw new ApiError('busy', 'Too many phones without video are recorded at the same time. Try again later.');
  }
}
