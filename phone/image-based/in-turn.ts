import type { LimitFunction } from 'p-limit';
import { Cancellation } from '../../kit/async/within.js';

/**
 * Does `work` when the limit allows it. Rejects at once when the signal aborts before the work begins. So a phone whose boot waits for other
 * boots can be stopped or deleted.
 */
export function inTurn<T>(limit: LimitFunction, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  const waiting = new Cancellation([signal]);
  const turn = async (): Promise<T> => {
    if (waiting.endedBy !== undefined) throw waiting.endedBy;
    waiting.end();
    return work();
  };
  return waiting.unlessEnded(limit(turn));
}
