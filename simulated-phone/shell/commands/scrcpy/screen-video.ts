import { WakeSignal } from '../../../../kit/async/wake-signal.js';
import { Cancellation } from '../../../../kit/async/within.js';
import type { Machine } from '../../../machine/machine.js';
import type { ByteSink } from '../../../streams/pipe.js';
import type { VideoEncoder, VideoEncoders, VideoForm } from '../../../../phone/video/video-encoder.js';
import type { ServerOptions } from './server-options.js';
import { failure } from './server-options.js';

const CODEC_H264 = 0x68323634;
const FLAG_CONFIGURATION = 1n << 63n;
const FLAG_KEY_FRAME = 1n << 62n;

/** Sides are multiples of this, as encoders of phones require. */
const SIDE_STEP = 8;

/**
 * Sends the screen as video to one client. A picture is encoded at each change, at most `maxFps` a second. After a reset, and after a turn
 * of the screen, another encoder goes on with a key frame. An encoder is kept in reserve, as starting one takes longer than a client waits.
 */
export class ScreenVideo {
  readonly #machine: Machine;
  readonly #encoders: VideoEncoders;
  readonly #options: ServerOptions;
  readonly #signal: AbortSignal;
  #form: VideoForm | undefined;
  #encoder: VideoEncoder | undefined;
  #reserve: VideoEncoder | undefined;
  #isReset = false;
  readonly #news = new WakeSignal();

  constructor(machine: Machine, encoders: VideoEncoders, options: ServerOptions, signal: AbortSignal) {
    this.#machine = machine;
    this.#encoders = encoders;
    this.#options = options;
    this.#signal = signal;
  }

  get size(): { width: number; height: number } | undefined {
    return this.#form;
  }

  /** Begins with a key frame again, also where nothing has changed. */
  reset(): void {
    this.#isReset = true;
    this.#news.wake();
  }

  /** Sends the video until the client is gone. Throws CommandFailure when the phone cannot encode. */
  async send(client: ByteSink & { closed: AbortSignal }): Promise<void> {
    const { clock, screen } = this.#machine;
    const life = new Cancellation([this.#signal, client.closed]);
    const end = life.signal;
    const unsubscribe = screen.onChange(() => this.#news.wake());
    try {
      const beganMs = clock.monotonicMs();
      this.#begin(end);
      if (this.#options.sendCodecMeta) await client.write(this.#codecMeta());
      let sent = -1;
      while (!end.aborted) {
        if (!this.#isReset && screen.revision === sent) {
          await this.#news.wait({ signal: end });
          continue;
        }
        const drawnMs = clock.monotonicMs();
        if (this.#isReset || !this.#fits()) this.#begin(end);
        const { data, revision } = screen.capture({ scale: this.#scale });
        const picture = await this.#encode(data);
        sent = revision;
        const timeUs = BigInt(Math.round((drawnMs - beganMs) * 1_000));
        if (picture.configuration !== undefined) await client.write(packet(FLAG_CONFIGURATION, picture.configuration));
        await client.write(packet((picture.isKey ? FLAG_KEY_FRAME : 0n) | timeUs, picture.data));
        // The reserve is opened after the first picture, as its start would take processor time from that picture.
        if (this.#form !== undefined) this.#reserve ??= this.#encoders.open(this.#form, end);
        const leftMs = 1_000 / this.#options.maxFps - (clock.monotonicMs() - drawnMs);
        if (leftMs > 0) await clock.sleep(leftMs, end).catch(() => undefined);
      }
    } finally {
      unsubscribe();
      life.end();
      this.#encoder?.close();
      this.#reserve?.close();
    }
  }

  get #scale(): number {
    const { width, height } = this.#machine.screen;
    const { maxSize } = this.#options;
    return maxSize === 0 ? 1 : Math.min(1, maxSize / Math.max(width, height));
  }

  #fits(): boolean {
    const wanted = this.#wantedForm();
    return this.#form?.width === wanted.width && this.#form.height === wanted.height;
  }

  #wantedForm(): VideoForm {
    const { width, height } = this.#machine.screen;
    const [scaledWidth = 1, scaledHeight = 1] = [width, height].map((side) => Math.max(1, Math.round(side * this.#scale))); // prettier-ignore
    const step = (side: number): number => Math.max(SIDE_STEP, side - (side % SIDE_STEP));
    return {
      source: { width: scaledWidth, height: scaledHeight },
      width: step(scaledWidth),
      height: step(scaledHeight),
      fps: this.#options.maxFps,
      bitRate: this.#options.bitRate,
    };
  }

  /** Goes on with an encoder that has encoded nothing yet. */
  #begin(end: AbortSignal): void {
    this.#isReset = false;
    const fits = this.#fits();
    this.#encoder?.close();
    this.#form = this.#wantedForm();
    if (!fits) this.#reserve?.close();
    const encoder = (fits ? this.#reserve : undefined) ?? this.#encoders.open(this.#form, end);
    this.#reserve = undefined;
    if (encoder === undefined) throw failure('Could not create default video encoder for h264');
    this.#encoder = encoder;
  }

  async #encode(rgba: Uint8Array) {
    try {
      if (this.#encoder === undefined) throw new Error('there is no encoder');
      return await this.#encoder.encode(rgba);
    } catch (error) {
      this.#machine.log.info({ err: error }, 'a picture of the phone was not encoded');
      throw failure('Could not create default video encoder for h264');
    }
  }

  #codecMeta(): Buffer {
    const meta = Buffer.alloc(12);
    meta.writeUInt32BE(CODEC_H264, 0);
    meta.writeUInt32BE(this.#form?.width ?? 0, 4);
    meta.writeUInt32BE(this.#form?.height ?? 0, 8);
    return meta;
  }
}

function packet(flags: bigint, data: Buffer): Buffer {
  const header = Buffer.alloc(12);
  header.writeBigUInt64BE(flags, 0);
  header.writeUInt32BE(data.length, 8);
  return Buffer.concat([header, data]);
}
