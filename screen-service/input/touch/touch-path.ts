import type { Call } from '../../../kit/call/call.js';
import type { Point } from '../../shapes/rectangle.js';
import type { Touch } from '../../shapes/touch.js';

/** A path by which touches reach a phone. */
export interface TouchPath {
  /** The number of fingers that may be down at the same time. */
  readonly most: number;
  /** Sends touches after those that were sent before. Resolves when they are on their way: the phone may not have taken them yet. */
  send(call: Pick<Call, 'signal' | 'sender'>, touches: readonly Touch[]): Promise<void>;
  /** Resolves when the phone has taken all touches that were sent, so that later input by another way comes after them. */
  taken(call: Pick<Call, 'signal' | 'sender'>): Promise<void>;
  /** Lifts these fingers where they are. Resolves when the phone has taken the touches that lift them. */
  lift(call: Pick<Call, 'signal' | 'sender'>, fingers: ReadonlyMap<number, Point>): Promise<void>;
  close(): void;
}
