import type { Call } from '../../../kit/call/call.js';
import type { Point } from '../../shapes/rectangle.js';
import { tapCommand } from '../command/gestures.js';
import { sendCommand } from '../command/send-command.js';
import type { ReachedPhone } from '../../link/reached-phone.js';
import type { Touch } from '../../shapes/touch.js';
import type { TouchPath } from './touch-path.js';

/** Most commands that are sent together. Old phones start a process for each, so more of them would exceed the time limit. */
const COMMANDS_IN_ONE = 20;

/** Sends touches through the phone's `input motionevent`, which knows one finger. It is for phones whose touch device cannot be written. */
export class MotionEvents implements TouchPath {
  readonly most = 1;
  readonly #phone: ReachedPhone;

  constructor(phone: ReachedPhone) {
    this.#phone = phone;
  }

  async send(call: Pick<Call, 'signal' | 'sender'>, touches: readonly Touch[]): Promise<void> {
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
    // `send` has waited for each command.
  }

  async lift(call: Pick<Call, 'signal' | 'sender'>, fingers: ReadonlyMap<number, Point>): Promise<void> {
    await this.send(
      call,
      [...fingers].map(([pointer, { x, y }]) => ({ phase: 'up', pointer, x, y })),
    );
  }

  close(): void {
    // Nothing is kept: each command is a stream of its own.
  }
}

/** Whether two touches are a tap. Sent as two commands, a tap could take so long that it is a long press. */
function isTap(first: Touch | undefined, second: Touch | undefined): boolean {
  return first?.phase === 'down' && second?.phase === 'up' && first.x === second.x && first.y === second.y;
}
