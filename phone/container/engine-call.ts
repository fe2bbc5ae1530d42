import type { Clock } from '../../kit/async/clock.js';
import { NoRoom } from '../files/no-room.js';
import { within } from '../../kit/async/within.js';

/**
 * The time limit of a call, ms. A healthy engine responds to most calls in milliseconds, and within this limit even on an overloaded host.
 */
const CALL_MS = 30_000;

export interface CallLimit {
  clock: Clock;
  signal?: AbortSignal | undefined;
  /** Longest time, ms. Default: 30 s. */
  timeoutMs?: number;
}

/** Calls the engine with a limit of time: one that hangs must not hold up a phone. */
export function callEngine<T>(
  { clock, signal, timeoutMs = CALL_MS }: CallLimit,
  call: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const onTimeout = (): Error => new Error(`the container engine did not respond within ${timeoutMs / 1_000} s`);
  return within({ clock, timeoutMs, signals: [signal], onTimeout }, call).catch((error: unknown) => {
    throw saysDiskFull(error) ? new NoRoom(error) : error;
  });
}

/** Returns whether the engine refused a call as its disk is full. Engines report that in the text of an error alone. */
export function saysDiskFull(cause: unknown): boolean {
  const text = cause instanceof Error ? cause.message : String(cause);
  return /no space left on device|disk quota exceeded/i.test(text);
}

/** Returns the result of a call. Undefined: the engine has no such object (404), or the object is already in the requested state (304). */
export async function unlessGone<T>(call: Promise<T>): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if ([304, 404].includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  }
}

/** The HTTP status of the engine's response; undefined where there was none. */
export function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error && 'statusCode' in error ? error.statusCode : undefined;
  return typeof status === 'number' ? status : undefined;
}
