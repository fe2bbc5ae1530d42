import type { Call } from '../../../kit/call.js';
import type { Point } from '../../tree/rectangle.js';

/** An action of a finger on the screen, in pixels of its present orientation. */
export interface Touch extends Point {
  phase: 'down' | 'move' | 'up';
  pointer: number;
}

/** A way for touches to a phone. */
export interface TouchPath {
  /** Fingers that may be down at once. */
  readonly most: number;
  /** Sends touches after those before. Resolves when they are on their way: the phone may not have taken them yet. */
  send(call: Pick<Call, 'signal'>, touches: readonly Touch[]): Promise<void>;
  /** Resolves when the phone has taken all touches that were sent, so that later input by another way comes after them. */
  taken(call: Pick<Call, 'signal'>): Promise<void>;
  /** Lifts these fingers where they are. Resolves when the phone has taken that. */
  lift(call: Pick<Call, 'signal'>, fingers: ReadonlyMap<number, Point>): Promise<void>;
  close(): void;
}
