import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { Cancellation } from '../../../kit/async/within.js';
import type { AdbSocket } from '@yume-chan/adb';
import type { Call } from '../../../kit/call/call.js';
import type { PhoneLink } from '../../../phone/link/phone-link.js';
import { readRotation } from '../../display/rotation.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
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

/** Minicap is stopped after this time without a request, ms: it costs the phone an encoding for each change. */
const IDLE_MS = 30_000;

/** Pause after a failure, ms, and the number of failures after which minicap is not tried again. */
const REST_AFTER_FAILURE_MS = 60_000;
const MAX_FAILURES = 3;

/** While the program starts, connecting is tried again: the time between tries, ms, and the number of tries. */
const CONNECT_EVERY_MS = 100;
const CONNECT_TRIES = 20;

/**
 * Receives JPEGs of the screen, which minicap on the phone pushes at each change. A screenshot then costs one short command in place of a
 * capture. The first request starts minicap, and no request waits for it. While there is no frame, or none that fits, requests get
 * undefined and capture in the ordinary way.
 */
export class MinicapSource {
  readonly #phone: ReachedPhone;
  #onFrame: (frame: MinicapFrame) => void = () => undefined;
  #state: 'off' | 'starting' | 'running' | 'never' = 'off';
  #frame: MinicapFrame | undefined;
  #stop: AbortController | undefined;
  #failures = 0;
  #restUntilMs = -Infinity;
  #idle: { cancel(): void } | undefined;

  constructor(phone: ReachedPhone) {
    this.#phone = phone;
  }

  /** Calls `onFrame` with each frame that is pushed from now on. */
  follow(onFrame: (frame: MinicapFrame) => void): void {
    this.#onFrame = onFrame;
  }

  /**
   * Returns the newest frame, if it shows the screen as it is now. The rotation is read first: minicap ignores rotation, so its frames fit
   * upright screens only. The output of that command also proves that the phone is alive. Output and frames come over one connection in
   * order. So frames that the phone sent before the output have arrived by then.
   */
  async newest(call: Call): Promise<MinicapFrame | undefined> {
    this.want();
    if (this.#state !== 'running' || this.#frame === undefined) return undefined;
    if ((await readRotation(call, this.#phone)) !== 0) return undefined;
    // The field is read again: a newer frame, or the end of the stream, may have arrived meanwhile.
    return this.#frame;
  }

  /** Starts minicap, unless it runs, rests after a failure or cannot run. It ends some time after the last call. */
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
      this.#state = this.#failures >= MAX_FAILURES ? 'never' : 'off';
    } finally {
      this.#frame = undefined;
      stop.abort(new Error('minicap has ended'));
    }
  }

  /** Puts program and library on the phone. Returns false when there are none for it. */
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
    const over = new Cancellation([signal]);
    void begunAhead(
      link
        .stream(
          `shell,v2,raw:${command}`,
          { timeoutMs: Infinity, doing: 'run minicap', signal: over.signal },
          () => undefined,
        )
        .finally(() => over.abort(new Error('minicap ended'))),
    );
    try {
      await this.#follow(await this.#connect(link, over.signal), over.signal);
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
