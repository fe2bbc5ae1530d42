import { randomInt } from 'node:crypto';
import type { AdbSocket } from '@yume-chan/adb';
import { ScrcpyOptions3_3_3 } from '@yume-chan/scrcpy';
import type { Timer } from '../../../kit/clock.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { parseDisplayOff } from '../../../phone/screen/windows.js';
import { READ_DISPLAY } from '../../app/display.js';
import type { ReachedPhone } from '../../phones/reached-phone.js';
import { FloodGuard } from './flood-guard.js';
import { PacketReader } from './packet-reader.js';
import { parseConfiguration } from './parse-configuration.js';
import { ScrcpyControl } from './scrcpy-control.js';
import { SCRCPY_VERSION } from './scrcpy-file.js';
import type { VideoConfiguration, VideoUnit } from './video-unit.js';

/** What viewers ask of one encoding. */
export interface VideoForm {
  /** Longest side, pixels; Infinity: the screen's. */
  maxSize: number;
  fps: number;
}

/** From the start of the server to its first key frame, and from a request to the next, ms. A slow phone takes 3 s to start. */
const KEY_MS = 10_000;
/** Time for the phone to report whether its display is on, ms. */
const DISPLAY_MS = 3_000;
/** Pushing the server's 90 KB, ms. */
const PUSH_MS = 5_000;
/** Time for the phone to take the end of touches, ms. */
const LIFT_MS = 300;
/** Connecting is tried again while the server starts, ms between. */
const CONNECT_EVERY_MS = 50;

/** Bits for each pixel of a picture and second: 2 Mbit/s for 720 x 1280. Text stays readable, and a still screen costs nothing. */
const BITS_PER_PIXEL = 2.2;
const BIT_RATE_LEAST = 500_000;
const BIT_RATE_MOST = 8_000_000;

/** Output of the server that is kept for the log, characters. */
const OUTPUT_MOST = 500;

/** One run of scrcpy's server on a phone, over a link of its own, so that its end leaves nothing behind. */
export class ScrcpySession {
  readonly form: VideoForm;
  readonly #phone: ReachedPhone;
  readonly #file: Uint8Array;
  readonly #onUnit: (unit: VideoUnit) => void;
  readonly #onAsleep: () => void;
  readonly #stop = new AbortController();
  readonly #flood = new FloodGuard();
  /** Ends the run while a key frame is due. */
  #limit: Timer | undefined;
  #path: string | undefined;
  #control: ScrcpyControl | undefined;
  #configuration: VideoConfiguration | undefined;
  /** The one that the next key frame begins. */
  #configured: VideoConfiguration | undefined;
  #output = '';
  #isKeyDue = false;
  #isAsleep = false;

  /**
   * `onUnit` is called with each picture, beginning with a key frame; `onAsleep` when a requested key frame does not come as the display
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

  /** Whether the display was off when a key frame was due, and no picture came since. */
  get isAsleep(): boolean {
    return this.#isAsleep;
  }

  /** The way for input; undefined before the first key frame, and after the end. */
  get control(): ScrcpyControl | undefined {
    return this.#control?.isOpen === true && this.#configuration !== undefined ? this.#control : undefined;
  }

  /** Of the newest key frame. */
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

  /** Requests a key frame. A server that sends none, although the display is on, has ended or shows nothing any more: then the run ends. */
  requestKey(): void {
    this.#control?.resetVideo();
    if (!this.#stop.signal.aborted) this.#expectKey();
  }

  #expectKey(): void {
    this.#isKeyDue = true;
    this.#limit ??= this.#phone.clock.after(KEY_MS, () => void this.#missKey());
  }

  /** A display that is off shows nothing: its viewers keep the picture that they have, and the video goes on once it is on again. */
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
    // A phone that does not respond to this has ended its video for another reason.
    const printed = await this.#phone.link.exec(READ_DISPLAY, options).catch(() => undefined);
    return printed !== undefined && parseDisplayOff(printed.toString('latin1'));
  }

  /** Ends it; with an error, `run` throws that. */
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
    const ended = link.stream(`shell,v2,raw:${command}`, running, (chunk) => {
      this.#output = (this.#output + chunk.toString('latin1').replaceAll(/[^\x20-\x7e]+/g, ' ')).slice(0, OUTPUT_MOST);
    });
    const over = ended.then(() => this.#end(new Error(`the video server ended: ${this.#output}`)));
    over.catch((error: unknown) => this.#end(error instanceof Error ? error : new Error(String(error))));
    const socket = `localabstract:scrcpy_${scid}`;
    const video = await this.#connect(link, socket, signal);
    this.#control = new ScrcpyControl(await this.#connect(link, socket, signal), options, () =>
      this.#end(new Error('the video server takes no input')),
    );
    // The server has loaded it.
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
      videoBitRate: Math.min(BIT_RATE_MOST, Math.max(BIT_RATE_LEAST, rate)),
      // Somebody who only watches changes nothing.
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
