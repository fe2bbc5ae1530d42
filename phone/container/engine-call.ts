import type { Clock } from '../../kit/clock.js';
import { within } from '../../kit/within.js';

/** An engine that is well responds to most calls in milliseconds; one whose host is overloaded still within this, ms. */
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
  return within({ clock, timeoutMs, signals: [signal], onTimeout }, call);
}

/** Resolves with undefined where the engine has no such thing (404), or is in that state already (304). */
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
