import type { AdbSocket } from '@yume-chan/adb';
import type { Call } from '../../../kit/call.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { readRotation } from '../../app/rotation.js';
import type { ReachedPhone } from '../../phones/reached-phone.js';
import { MINICAP_PHONE_COMMAND, parseMinicapPhone, readMinicapFiles } from './minicap-files.js';
import { MinicapReader } from './minicap-frames.js';

/** A JPEG of the whole upright screen. */
export interface MinicapFrame {
  jpeg: Buffer;
  quality: number;
  width: number;
  height: number;
}

/** Quality that frames are made with; the same as a screenshot's default, so that most need no second encoding. */
const MINICAP_QUALITY = 80;

const FOLDER = '/data/local/tmp';
const SOCKET = 'localabstract:minicap';

/** It is stopped after this time without a request, ms: it costs the phone an encoding for each change. */
const IDLE_MS = 30_000;

/** Pause after a failure, ms, and the number of failures after which it is not tried again. */
const REST_AFTER_FAILURE_MS = 60_000;
const FAILURES_MOST = 3;

/** Connecting is tried again while the program starts, ms between and times. */
const CONNECT_EVERY_MS = 100;
const CONNECT_TRIES = 20;

/**
 * JPEGs of the screen, pushed by minicap on the phone at each change: a screenshot costs one short command in place of a capture.
 * It is started by the first request and never waited for: while there is no frame, or none that fits, requests get undefined and
 * capture in the ordinary way.
 */
export class MinicapSource {
  readonly #phone: ReachedPhone;
  readonly #onFrame: (frame: MinicapFrame) => void;
  #state: 'off' | 'starting' | 'running' | 'never' = 'off';
  #frame: MinicapFrame | undefined;
  #stop: AbortController | undefined;
  #failures = 0;
  #restUntilMs = -Infinity;
  #idle: { cancel(): void } | undefined;

  /** `onFrame` is called with each frame that is pushed. */
  constructor(phone: ReachedPhone, onFrame: (frame: MinicapFrame) => void) {
    this.#phone = phone;
    this.#onFrame = onFrame;
  }

  /**
   * The newest frame, if it shows the screen as it is now. The screen's orientation is read first: minicap follows no rotation,
   * so it serves upright screens only. The output of that command also proves that the phone is alive, and that every frame it had sent before
   * has arrived, as both come over one connection in order.
   */
  async newest(call: Call): Promise<MinicapFrame | undefined> {
    this.want();
    if (this.#state !== 'running' || this.#frame === undefined) return undefined;
    if ((await readRotation(call, this.#phone)) !== 0) return undefined;
    // Read again: a newer frame, or the end of the stream, may have arrived meanwhile.
    return this.#frame;
  }

  /** Starts it, unless it runs, rests after a failure or cannot run; it ends some time after the last call. */
  want(): void {
    const { clock } = this.#phone;
    if (this.#state === 'never') return;
    this.#idle?.cancel();
    this.#idle = clock.after(IDLE_MS, () => this.stop());
    if (this.#state === 'off' && clock.monotonicMs() >= this.#restUntilMs) void this.#start();
  }

  stop(): void {
    this.#idle?.cancel();
    this.#stop?.abort(new Error('minicap is not needed any more'));
  }

  async #start(): Promise<void> {
    this.#state = 'starting';
    const stop = new AbortController();
    this.#stop = stop;
    try {
      const link = await this.#phone.link.link();
      if (!(await this.#install(link))) {
        this.#state = 'never';
        return;
      }
      await this.#run(link, stop.signal);
      this.#state = 'off';
    } catch (error) {
      const wanted = !stop.signal.aborted;
      if (wanted) {
        this.#failures++;
        this.#restUntilMs = this.#phone.clock.monotonicMs() + REST_AFTER_FAILURE_MS;
        this.#phone.log.info({ err: error }, 'minicap does not work on this phone now; captures go on without it');
      }
      this.#state = this.#failures >= FAILURES_MOST ? 'never' : 'off';
    } finally {
      this.#frame = undefined;
      stop.abort(new Error('minicap has ended'));
    }
  }

  /** Puts program and library on the phone. False: there are none for it. */
  async #install(link: PhoneLink): Promise<boolean> {
    const options = { timeoutMs: 15_000, doing: 'take minicap' };
    const { stdout } = await link.shell(MINICAP_PHONE_COMMAND, { ...options, maxBytes: 10_000 });
    const files = await readMinicapFiles(parseMinicapPhone(stdout.toString('utf8')));
    if (files === undefined) return false;
    await link.push(`${FOLDER}/minicap`, files.program, 0o755, options);
    await link.push(`${FOLDER}/minicap.so`, files.library, 0o755, options);
    return true;
  }

  async #run(link: PhoneLink, signal: AbortSignal): Promise<void> {
    const { width, height } = this.#phone.phone.screen;
    const size = `${width}x${height}`;
    const command = `LD_LIBRARY_PATH=${FOLDER} exec ${FOLDER}/minicap -S -Q ${MINICAP_QUALITY} -P ${size}@${size}/0`;
    const over = new AbortController();
    const either = AbortSignal.any([signal, over.signal]);
    const program = link
      .stream(`shell,v2,raw:${command}`, { timeoutMs: Infinity, doing: 'run minicap', signal: either }, () => undefined)
      .finally(() => over.abort(new Error('minicap ended')));
    program.catch(() => undefined);
    try {
      await this.#follow(await this.#connect(link, either), either);
    } finally {
      over.abort(new Error('minicap is not needed any more'));
    }
  }

  async #connect(link: PhoneLink, signal: AbortSignal): Promise<AdbSocket> {
    for (let tries = 1; ; tries++) {
      try {
        return await link.socket(SOCKET, { timeoutMs: 2_000, doing: 'open minicap', signal });
      } catch (error) {
        if (tries === CONNECT_TRIES || signal.aborted) throw error;
        await this.#phone.clock.sleep(CONNECT_EVERY_MS, signal);
      }
    }
  }

  async #follow(socket: AdbSocket, signal: AbortSignal): Promise<void> {
    const frames = new MinicapReader();
    const reader = socket.readable.getReader();
    const cancel = (): void => void reader.cancel().catch(() => undefined);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        for (const jpeg of frames.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength))) {
          const { virtualWidth: width = 0, virtualHeight: height = 0 } = frames.banner ?? {};
          this.#frame = { jpeg, quality: MINICAP_QUALITY, width, height };
          this.#state = 'running';
          this.#onFrame(this.#frame);
        }
      }
      if (!signal.aborted) throw new Error('minicap broke off');
    } finally {
      signal.removeEventListener('abort', cancel);
      void Promise.resolve(socket.close()).catch(() => undefined);
    }
  }
}
