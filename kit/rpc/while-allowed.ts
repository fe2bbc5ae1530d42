import type { Clock } from '../async/clock.js';
import { Cancellation } from '../async/within.js';
import { ApiError, type ErrorKind } from '../errors/api-error.js';
import { LeasedAway } from '../errors/leased-away.js';

/**
 * How often it is checked whether an open stream is still allowed, ms. Callers are cached for 1 s, so a stream ends within 2 s after its
 * key was revoked.
 */
export const STREAM_CHECK_MS = 1_000;

/** Failures of a check that end a stream. Others, such as unavailable, are no reason to break off an allowed stream. */
const REFUSALS: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'not_found'];

/**
 * Passes on the messages of a stream until `check`, which runs every second, refuses it; then throws that refusal. When `signal` aborts, no
 * more checks are made, and the stream behind is returned: nobody else does so for a reader that leaves between two messages.
 */
export async function* whileAllowed<T>(
  messages: AsyncIterable<T>,
  check: () => Promise<unknown>,
  clock: Clock,
  signal: AbortSignal,
): AsyncIterable<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const over = new Cancellation([signal]);
  // The return is not awaited: a generator that waits for its next message ends only with that message.
  const leave = (): void => void iterator.return?.().catch(() => undefined);
  over.signal.addEventListener('abort', leave);
  let refusal: Error | undefined;
  let onRefusal: (error: Error) => void = () => undefined;
  void untilRefused(check, clock, over.signal).then((error) => {
    refusal = error;
    if (error !== undefined) onRefusal(error);
  });
  try {
    for (;;) {
      // Promise.race with the whole watch is not used: a promise keeps everything that ever raced against it until it settles.
      const step = await new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
        onRefusal = reject;
        if (refusal !== undefined) reject(refusal);
        iterator.next().then(resolve, reject);
      });
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    over.abort(new Error('the stream is over'));
    leave();
  }
}

/** Makes `check` every second. Resolves with the error once it refuses, or with undefined when `signal` aborts. Never rejects. */
export async function untilRefused(
  check: () => Promise<unknown>,
  clock: Clock,
  signal: AbortSignal,
): Promise<ApiError | undefined> {
  for (;;) {
    try {
      await clock.sleep(STREAM_CHECK_MS, signal);
      await check();
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ApiError && (REFUSALS.includes(error.kind) || error instanceof LeasedAway)) return error;
    }
  }
}
