import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { randomInt } from 'node:crypto';
import type { AdbSocket } from '@yume-chan/adb';
import { ScrcpyOptions3_3_3 } from '@yume-chan/scrcpy';
import type { Timer } from '../../../kit/async/clock.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { parseDisplayOff } from '../../../phone/screen/windows.js';
import { READ_DISPLAY } from '../../display/foreground.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import { FloodGuard } from './flood-guard.js';
import { PacketReader } from './packet-reader.js';
import { parseConfiguration } from './parse-configuration.js';
import { ScrcpyControl } from './scrcpy-control.js';
import { SCRCPY_VERSION } from './scrcpy-file.js';
import type { VideoConfiguration, VideoUnit } from './video-unit.js';

/** The form of an encoding that viewers request. */
export interface VideoForm {
  /** Longest side, pixels; Infinity: that of the screen. */
  maxSize: number;
  fps: number;
}

/**
 * Time limit for the first key frame after the start of the server, and for the next one after a request, ms. A slow phone takes 3 s to
 * start.
 */
const KEY_MS = 10_000;
/** Time for the phone to report whether its display is on, ms. */
const DISPLAY_MS = 3_000;
/** Time for pushing the server's 90 KB, ms. */
const PUSH_MS = 5_000;
/** Time for the phone to take the end of touches, ms. */
const LIFT_MS = 300;
/** Connecting is tried again this often while the server starts, ms. */
const CONNECT_EVERY_MS = 50;

/** Bits for each pixel in each second: 2 Mbit/s for 720 x 1280. Text stays readable, and a still screen costs nothing. */
const BITS_PER_PIXEL = 2.2;
const MIN_BIT_RATE_BPS = 500_000;
const MAX_BIT_RATE_BPS = 8_000_000;

/** Output of the server that is kept for the log, characters. */
const MAX_OUTPUT_CHARS = 500;

/** One run of scrcpy's server on a phone. The run has its own link to the phone, and closing the link ends all that the run has opened. */
export class ScrcpySession {
  readonly form: VideoForm;
  readonly #phone: ReachedPhone;
  readonly #file: Uint8Array;
  readonly #onUnit: (unit: VideoUnit) => void;
  readonly #onAsleep: () => void;
  readonly #stop = new AbortController();
  readonly #flood = new FloodGuard();
  /** The time limit of the key frame that is due. */
  #limit: Timer | undefined;
  #path: string | undefined;
  #control: ScrcpyControl | undefined;
  #configuration: VideoConfiguration | undefined;
  /** The latest configuration from the server. It holds from the next key frame on. */
  #configured: VideoConfiguration | undefined;
  #output = '';
  #isKeyDue = false;
  #isAsleep = false;

  /**
   * `onUnit` is called with each picture, beginning with a key frame. `onAsleep` is called when a key frame is overdue because the display
   * is off.
   */
  constructor(
    phone: ReachedPhone,
    file: Uint8Array,
    form: VideoForm,
    onUnit: (unit: VideoUnit) => void,
    onAsleep: () => void = () => undefined,
  ) {
    this.#phone = phone;
    this.#file = file;
    this.form = form;
    this.#onUnit = onUnit;
    this.#onAsleep = onAsleep;
  }

  /** Whether the display was off when a key frame was due, and no picture has come since. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** The control socket; undefined before the first key frame, and after the end. */
  get control(): ScrcpyControl | undefined {
    return this.#control?.isOpen === true && this.#configuration !== undefined ? this.#control : undefined;
  }

  /** The configuration of the newest key frame. */
  get configuration(): VideoConfiguration | undefined {
    return this.#configuration;
  }

  /** Runs until `stop`; throws the reason of an earlier end. */
  async run(): Promise<void> {
    const { signal } = this.#stop;
    const { clock, link: kept } = this.#phone;
    this.#expectKey();
    try {
      const link = await kept.openApart();
      try {
        await this.#runOn(link, signal);
      } finally {
        this.#control?.close(this.#configuration);
        await Promise.race([this.#control?.taken().catch(() => undefined), clock.sleep(LIFT_MS)]);
        link.close();
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#limit?.cancel();
      this.#end(undefined);
      if (this.#path !== undefined) this.#remove(kept, this.#path);
    }
    if (signal.reason instanceof Error) throw signal.reason;
  }

  stop(): void {
    this.#end(undefined);
  }

  /**
   * Requests a key frame. If none comes although the display is on, the server has ended or encodes nothing any more. Then the run ends.
   */
  requestKey(): void {
    this.#control?.resetVideo();
    if (!this.#stop.signal.aborted) this.#expectKey();
  }

  #expectKey(): void {
    this.#isKeyDue = true;
    this.#limit ??= this.#phone.clock.after(KEY_MS, () => void this.#missKey());
  }

  /**
   * Handles a key frame that did not come. Where the display is off, viewers keep the picture that they have, and the video goes on once
   * the display is on again.
   */
  async #missKey(): Promise<void> {
    const isAsleep = this.#configuration !== undefined && (await this.#isDisplayOff());
    this.#limit = undefined;
    if (!this.#isKeyDue || this.#stop.signal.aborted) return;
    if (!isAsleep) {
      this.#end(new Error(`no key frame within ${KEY_MS} ms: ${this.#output}`));
      return;
    }
    this.#isAsleep = true;
    this.#onAsleep();
    this.#expectKey();
  }

  async #isDisplayOff(): Promise<boolean> {
    const options = { timeoutMs: DISPLAY_MS, maxBytes: 1_000, doing: 'report its display', signal: this.#stop.signal };
    // If the phone does not respond, its display counts as on: the video has ended for another reason.
    const printed = await this.#phone.link.exec(READ_DISPLAY, options).catch(() => undefined);
    return printed !== undefined && parseDisplayOff(printed.toString('latin1'));
  }

  /** Ends the run. With an error, `run` throws that. */
  #end(error: Error | undefined): void {
    this.#stop.abort(error ?? 'stopped');
  }

  async #runOn(link: PhoneLink, signal: AbortSignal): Promise<void> {
    const scid = randomInt(0x7fff_ffff).toString(16).padStart(8, '0');
    const path = `/data/local/tmp/scrcpy-server-${scid}.jar`;
    const options = this.#optionsFor(scid);
    this.#path = path;
    await link.push(path, this.#file, 0o644, { timeoutMs: PUSH_MS, doing: 'take the video server', signal });
    const command = `CLASSPATH=${path} app_process / com.genymobile.scrcpy.Server ${SCRCPY_VERSION} ${options.serialize().join(' ')}`; // prettier-ignore
    const running = { timeoutMs: Infinity, doing: 'run the video server', signal };
    const ended = begunAhead(
      link.stream(`shell,v2,raw:${command}`, running, (chunk) => {
        this.#output = (this.#output + chunk.toString('latin1').replaceAll(/[^\x20-\x7e]+/g, ' ')).slice(
          0,
          MAX_OUTPUT_CHARS,
        );
      }),
    );
    const over = begunAhead(ended.then(() => this.#end(new Error(`the video server ended: ${this.#output}`))));
    over.catch((error: unknown) => this.#end(error instanceof Error ? error : new Error(String(error))));
    const socket = `localabstract:scrcpy_${scid}`;
    const video = await this.#connect(link, socket, signal);
    this.#control = new ScrcpyControl(await this.#connect(link, socket, signal), options, () =>
      this.#end(new Error('the video server takes no input')),
    );
    // The server has loaded the file, so it can be removed.
    this.#path = undefined;
    this.#remove(link, path);
    await this.#follow(video, signal);
  }

  #remove(link: Pick<PhoneLink, 'shell'>, path: string): void {
    const options = { timeoutMs: PUSH_MS, doing: 'remove the video server', maxBytes: 1_000 };
    link.shell(`rm -f ${path}`, options).catch(() => undefined);
  }

  #optionsFor(scid: string): ScrcpyOptions3_3_3<boolean> {
    const { width, height } = this.#phone.phone.screen;
    const { maxSize, fps } = this.form;
    const scale = Math.min(1, maxSize / Math.max(width, height, 1));
    const rate = Math.round(width * height * scale * scale * BITS_PER_PIXEL);
    return new ScrcpyOptions3_3_3<boolean>({
      scid,
      tunnelForward: true,
      audio: false,
      maxSize: maxSize === Infinity ? 0 : maxSize,
      maxFps: fps,
      videoBitRate: Math.min(MAX_BIT_RATE_BPS, Math.max(MIN_BIT_RATE_BPS, rate)),
      // Watching a phone must not turn its display on.
      powerOn: false,
      cleanup: false,
      clipboardAutosync: false,
      sendDeviceMeta: false,
      sendDummyByte: false,
    });
  }

  async #connect(link: PhoneLink, socket: string, signal: AbortSignal): Promise<AdbSocket> {
    for (;;) {
      signal.throwIfAborted();
      try {
        return await link.socket(socket, { timeoutMs: KEY_MS, doing: 'open its video', signal });
      } catch (error) {
        if (!link.usable) throw error;
        await this.#phone.clock.sleep(CONNECT_EVERY_MS, signal);
      }
    }
  }

  async #follow(socket: AdbSocket, signal: AbortSignal): Promise<void> {
    const packets = new PacketReader();
    const reader = socket.readable.getReader();
    const cancel = (): void => void reader.cancel().catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) return;
      if (done) throw new Error(`the video broke off: ${this.#output}`);
      for (const packet of packets.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))) {
        this.#flood.count(packet.data.length, this.#phone.clock.monotonicMs());
        this.#take(packet);
      }
    }
  }

  #take({ kind, data }: { kind: 'configuration' | 'key' | 'delta'; data: Buffer }): void {
    if (kind === 'configuration') {
      this.#configured = this.#withinForm(parseConfiguration(data));
      return;
    }
    const isKey = kind === 'key';
    if (isKey) this.#configuration = this.#configured;
    const configuration = this.#configuration;
    if (configuration === undefined) throw new Error('a picture without a configuration or a key frame before it');
    this.#isAsleep = false;
    if (isKey) {
      this.#isKeyDue = false;
      this.#limit?.cancel();
      this.#limit = undefined;
    }
    const whole = isKey ? Buffer.concat([configuration.data, data]) : data;
    this.#onUnit({ data: whole, isKey, configuration, cameMs: this.#phone.clock.monotonicMs() });
  }

  #withinForm(configuration: VideoConfiguration): VideoConfiguration {
    const { width, height } = configuration;
    // Encoders round sides up to their own multiples.
    if (Math.max(width, height) <= this.form.maxSize + 16) return configuration;
    throw new Error(`a video of ${width} x ${height} pixels, larger than requested`);
  }
}
