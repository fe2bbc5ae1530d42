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
  /** Resolves once the phone has taken them, so that later input by another way comes after them. */
  send(call: Pick<Call, 'signal'>, touches: readonly Touch[]): Promise<void>;
  /** Lifts these fingers where they are. */
  lift(call: Pick<Call, 'signal'>, fingers: ReadonlyMap<number, Point>): Promise<void>;
  close(): void;
}
