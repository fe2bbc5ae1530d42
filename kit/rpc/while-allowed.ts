import type { Clock } from '../clock.js';
import { ApiError, type ErrorKind } from '../errors.js';

/** How often it is checked whether an open stream is still allowed, ms. With a cache of callers of 1 s, a revoked key ends it within 2 s. */
export const STREAM_CHECK_MS = 1_000;

/** Failures of a check that end a stream. Others, such as unavailable, are no reason to break off an allowed stream. */
const REFUSALS: readonly ErrorKind[] = ['unauthorized', 'forbidden', 'not_found'];

/**
 * Passes on the messages of a stream until `check`, which runs every second, refuses it; then throws that refusal. With `signal`, checking
 * ends when that aborts: a reader that has left does not always end a stream that waits for it.
 */
export async function* whileAllowed<T>(
  messages: AsyncIterable<T>,
  check: () => Promise<unknown>,
  clock: Clock,
  signal?: AbortSignal,
): AsyncIterable<T> {
  const iterator = messages[Symbol.asyncIterator]();
  const over = new AbortController();
  let refusal: Error | undefined;
  let onRefusal: (error: Error) => void = () => undefined;
  void watch(check, clock, over.signal).then((error) => {
    refusal = error;
    if (error !== undefined) onRefusal(error);
  });
  const onAbort = (): void => over.abort(new Error('the reader has left'));
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    for (;;) {
      // Not a race against the whole watch: a promise keeps everything that ever raced against it until it settles.
      const step = await new Promise<IteratorResult<T, unknown>>((resolve, reject) => {
        onRefusal = reject;
        if (refusal !== undefined) reject(refusal);
        iterator.next().then(resolve, reject);
      });
      if (step.done === true) return;
      yield step.value;
    }
  } finally {
    signal?.removeEventListener('abort', onAbort);
    over.abort(new Error('the stream is over'));
    // Not waited for: a generator that waits for its next message ends only with it.
    iterator.return?.().catch(() => undefined);
  }
}

/** Resolves with the error once `check` refuses, or with undefined when `signal` aborts. */
async function watch(check: () => Promise<unknown>, clock: Clock, signal: AbortSignal): Promise<ApiError | undefined> {
  for (;;) {
    try {
      await clock.sleep(STREAM_CHECK_MS, signal);
      await check();
    } catch (error) {
      if (signal.aborted) return undefined;
      if (error instanceof ApiError && REFUSALS.includes(error.kind)) return error;
    }
  }
}
