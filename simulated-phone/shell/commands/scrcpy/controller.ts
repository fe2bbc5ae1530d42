import type { ByteSink } from '../../../streams/pipe.js';
import type { Machine } from '../../../machine/machine.js';
import type { ControlMessage } from './control-reader.js';

const KEY_BACK = 4;
const KEY_PASTE = 279;
const MAX_FINGERS = 10;

const PHASES = new Map<number, 'down' | 'up' | 'move' | 'cancel'>([
  [0, 'down'],
  [1, 'up'],
  [2, 'move'],
  [3, 'cancel'],
]);

/** Performs a client's messages on the phone. */
export class Controller {
  readonly #machine: Machine;
  readonly #client: ByteSink;
  readonly #videoSize: () => { width: number; height: number } | undefined;
  readonly #onReset: () => void;
  /** The client's pointers that are on the screen, each in the place of a finger. */
  readonly #fingers: (bigint | undefined)[] = Array.from({ length: MAX_FINGERS }, () => undefined);

  /** `videoSize` returns the size of the client's video, or undefined without a video. Touches are then in pixels of the screen. */
  constructor(
    machine: Machine,
    client: ByteSink,
    { videoSize, onReset }: { videoSize: () => { width: number; height: number } | undefined; onReset: () => void },
  ) {
    this.#machine = machine;
    this.#client = client;
    this.#videoSize = videoSize;
    this.#onReset = onReset;
  }

  async perform(message: ControlMessage): Promise<void> {
    const { screen, settings } = this.#machine;
    switch (message.type) {
      case 'key':
        screen.key({ code: message.code, phase: message.action === 0 ? 'down' : 'up' });
        return;
      case 'text':
        // Characters outside ASCII are left out, as `input text` does: the virtual keyboard's map does not have them.
        screen.commitText(message.text.replaceAll(/[^\x20-\x7e]/g, ''));
        return;
      case 'touch':
        this.#touch(message);
        return;
      case 'back':
        screen.key({ code: KEY_BACK, phase: message.action === 0 ? 'down' : 'up' });
        return;
      case 'panel':
        screen.shadeOpen = message.isOpen;
        return;
      case 'rotate':
        settings.put('system', 'accelerometer_rotation', '0');
        settings.put('system', 'user_rotation', screen.rotation === 0 ? '1' : '0');
        return;
      case 'get-clipboard': {
        const text = Buffer.from(screen.clipboard);
        const header = Buffer.alloc(5);
        header.writeUInt32BE(text.length, 1);
        await this.#client.write(Buffer.concat([header, text]));
        return;
      }
      case 'set-clipboard': {
        screen.clipboard = message.text;
        if (message.isPasted) for (const phase of ['down', 'up'] as const) screen.key({ code: KEY_PASTE, phase });
        if (message.sequence === 0n) return;
        const acknowledged = Buffer.alloc(9, 1);
        acknowledged.writeBigUInt64BE(message.sequence, 1);
        await this.#client.write(acknowledged);
        return;
      }
      case 'reset-video':
        this.#onReset();
        return;
      case 'ignored':
    }
  }

  /** Lifts the fingers of a client that is gone. */
  release(): void {
    for (const [pointer, held] of this.#fingers.entries()) {
      if (held !== undefined) this.#machine.screen.touch({ phase: 'cancel', x: 0, y: 0, pointer });
    }
    this.#fingers.fill(undefined);
  }

  #touch({ action, pointer, x, y, width, height }: Extract<ControlMessage, { type: 'touch' }>): void {
    const { screen } = this.#machine;
    const phase = PHASES.get(action);
    const video = this.#videoSize();
    // A touch that was made for another picture, before the screen was turned, is left out.
    if (phase === undefined || (video !== undefined && (width !== video.width || height !== video.height))) return;
    const held = this.#fingers.indexOf(pointer);
    const finger = held < 0 ? this.#fingers.indexOf(undefined) : held;
    if (finger < 0 || (held < 0 && phase !== 'down')) return;
    this.#fingers[finger] = phase === 'up' || phase === 'cancel' ? undefined : pointer;
    const scaleX = video === undefined ? 1 : screen.width / video.width;
    const scaleY = video === undefined ? 1 : screen.height / video.height;
    screen.touch({ phase, x: Math.floor(x * scaleX), y: Math.floor(y * scaleY), pointer: finger });
  }
}
