import type { AdbSocket } from '@yume-chan/adb';
import { AndroidKeyEventAction, AndroidMotionEventAction, type ScrcpyOptions3_3_3, ScrcpyControlMessageSerializer } from '@yume-chan/scrcpy'; // prettier-ignore
import { type WorkLimit, within } from '../../../kit/async/within.js';
import type { ApiError } from '../../../kit/errors/api-error.js';
import { phoneUnavailable } from '../../../phone/link/phone-errors.js';
import type { Touch } from '../../shapes/touch.js';

/** With this many messages that the phone has not taken yet, `room` waits. A finger that moves makes some 60 a second. */
const MAX_WAITING = 32;

/** The most messages that may wait until the phone takes them, also of senders without `room`. Beyond it, the connection is given up. */
const MAX_UNTAKEN = 256;

const ENTER = 66;

const ACTIONS = {
  down: AndroidMotionEventAction.Down,
  move: AndroidMotionEventAction.Move,
  up: AndroidMotionEventAction.Up,
};

/** The control socket of a server. It takes touches, text and requests for key frames, in order, and confirms nothing. */
export class ScrcpyControl {
  readonly #socket: AdbSocket;
  readonly #writer;
  readonly #serializer: ScrcpyControlMessageSerializer;
  readonly #onEnd: () => void;
  /** Places of the fingers that are down. */
  readonly #down = new Map<number, Touch>();
  #taken: Promise<void> = Promise.resolve();
  #untaken = 0;
  /** Nothing is sent after the touches that lift the fingers: they would go down again. */
  #isClosing = false;
  #ended = false;

  /** `onEnd` is called when the phone takes no more messages, and after `close`. */
  constructor(socket: AdbSocket, options: ScrcpyOptions3_3_3<boolean>, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.#socket = socket;
    this.#writer = socket.writable.getWriter();
    this.#serializer = new ScrcpyControlMessageSerializer(options);
    void this.#discard();
  }

  get isOpen(): boolean {
    return !this.#ended;
  }

  /** Fingers that are down. */
  get fingers(): number {
    return this.#down.size;
  }

  /** Sends a touch at a pixel of the video, whose size is `video`: the server ignores touches for another size. */
  touch(touch: Touch, video: { width: number; height: number }): void {
    const { phase, pointer, x, y } = touch;
    if (phase === 'up') this.#down.delete(pointer);
    else this.#down.set(pointer, touch);
    this.#write(
      this.#serializer.injectTouch({
        action: ACTIONS[phase],
        pointerId: BigInt(pointer),
        pointerX: x,
        pointerY: y,
        videoWidth: video.width,
        videoHeight: video.height,
        pressure: phase === 'up' ? 0 : 1,
        actionButton: 0,
        buttons: 0,
      }),
    );
  }

  /** Types printable ASCII. */
  text(text: string): void {
    this.#write(this.#serializer.injectText(text));
  }

  pressEnter(): void {
    for (const action of [AndroidKeyEventAction.Down, AndroidKeyEventAction.Up]) {
      this.#write(this.#serializer.injectKeyCode({ action, keyCode: ENTER, repeat: 0, metaState: 0 }));
    }
  }

  /** Requests a configuration and a key frame. */
  resetVideo(): void {
    this.#write(this.#serializer.resetVideo());
  }

  /**
   * Resolves when another message may be sent. A sender of many messages awaits it before each. Throws when the phone takes no more input,
   * or none within the limit: then the connection is given up.
   */
  async room(limit: WorkLimit): Promise<void> {
    const isFull = (): boolean => this.#untaken >= MAX_WAITING && !this.#ended;
    try {
      while (isFull()) await within(limit, () => this.#taken);
    } catch (error) {
      if (limit.signals?.some((signal) => signal?.aborted === true) !== true) this.#end();
      throw error;
    }
    if (this.#ended || this.#isClosing) throw noInput();
  }

  /** Resolves when all that was sent has reached the server's socket on the phone. Throws when it did not. */
  async taken(): Promise<void> {
    await this.#taken;
    if (this.#ended) throw noInput();
  }

  /** Lifts the fingers, which would else stay on the screen, and closes the socket. */
  close(video: { width: number; height: number } | undefined): void {
    this.#isClosing = true;
    if (video !== undefined) for (const touch of [...this.#down.values()]) this.touch({ ...touch, phase: 'up' }, video);
    void this.#taken.then(() => this.#end());
  }

  #write(message: Uint8Array): void {
    if (this.#ended) return;
    if (++this.#untaken > MAX_UNTAKEN) {
      this.#end();
      return;
    }
    this.#taken = this.#writer.write(message).then(
      () => {
        this.#untaken--;
      },
      () => this.#end(),
    );
  }

  #end(): void {
    this.#ended = true;
    this.#onEnd();
    void Promise.resolve(this.#socket.close()).catch(() => undefined);
  }

  /** Discards what the phone sends. It sends nothing, or the text of its clipboard. */
  async #discard(): Promise<void> {
    const reader = this.#socket.readable.getReader();
    try {
      while (!(await reader.read()).done);
    } catch {
      // The connection broke off.
    }
    this.#ended = true;
    this.#onEnd();
  }
}

function noInput(): ApiError {
  return phoneUnavailable('The phone ended its input.');
}
