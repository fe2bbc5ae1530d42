import type { Call } from '../../../kit/call.js';
import type { Point } from '../../tree/rectangle.js';
import { tapCommand } from '../gestures.js';
import { sendCommand } from '../send-command.js';
import type { ReachedPhone } from '../../phones/reached-phone.js';
import type { Touch, TouchPath } from './touch-path.js';

/** Each starts a process on old phones; more in one go would run into the time limit. */
const COMMANDS_IN_ONE = 20;

/** Touches through the phone's `input motionevent`, which knows one finger. For phones whose touch device cannot be written. */
export class MotionEvents implements TouchPath {
  readonly most = 1;
  readonly #phone: ReachedPhone;

  constructor(phone: ReachedPhone) {
    this.#phone = phone;
  }

  async send(call: Pick<Call, 'signal'>, touches: readonly Touch[]): Promise<void> {
    const commands = touches.flatMap((touch, at) => {
      if (isTap(touches[at - 1], touch)) return [];
      if (isTap(touch, touches[at + 1])) return [tapCommand(touch)];
      return [`input motionevent ${touch.phase.toUpperCase()} ${touch.x} ${touch.y}`];
    });
    for (let at = 0; at < commands.length; at += COMMANDS_IN_ONE) {
      const together = commands.slice(at, at + COMMANDS_IN_ONE).join(' && ');
      await sendCommand(call, this.#phone, together, 'take the input');
    }
  }

  async taken(): Promise<void> {
    // Each command was waited for.
  }

  async lift(call: Pick<Call, 'signal'>, fingers: ReadonlyMap<number, Point>): Promise<void> {
    await this.send(
      call,
      [...fingers].map(([pointer, { x, y }]) => ({ phase: 'up', pointer, x, y })),
    );
  }

  close(): void {
    // Nothing is kept: each command is a stream of its own.
  }
}

/** By two commands it could take so long that it is a long press. */
function isTap(first: Touch | undefined, second: Touch | undefined): boolean {
  return first?.phase === 'down' && second?.phase === 'up' && first.x === second.x && first.y === second.y;
}
