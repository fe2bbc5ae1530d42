import { abortWith } from './abort-with.js';
import { CloudPhoneError, errorOf } from './errors.js';
import { platformWatchdog } from './platform.js';
import { isPassing, type Sending, unreachable } from './send.js';
import { type Block, readBlocks } from './server-sent-events.js';

/** Opens streams of server-sent events. */
export interface Streaming extends Pick<Sending, 'fetch' | 'wait' | 'random' | 'maxAttempts'> {
  /** Origin of the service, without /v1. */
  origin: string;
  headers: Record<string, string>;
}

/** The request for a stream. */
export interface StreamRequest {
  /** Path with /v1 and the query. */
  path: string;
  headers?: Record<string, string>;
}

/** A stream on which no byte has come for this time is lost, ms. The service sends a comment every 15 seconds. */
const IDLE_MS = 45_000;

/** Wait before a stream is opened again, unless the service has sent a different one, ms. It doubles with each failure. */
const RETRY_MS = 3_000;
const MAX_RETRY_MS = 30_000;

/**
 * Yields the blocks of a stream, without end. A stream that breaks is opened again, by what `next` returns then. Throws when the service
 * refuses. Throws also when the first stream could not be opened in as many attempts as a request has. After that, a stream that breaks is
 * opened again without limit.
 */
export async function* followStream(
  streaming: Streaming,
  next: () => StreamRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<Block, void> {
  let retryMs = RETRY_MS;
  let wasOpen = false;
  for (let failures = 1; ; failures++) {
    let error: CloudPhoneError | undefined;
    try {
      for await (const block of openStream(streaming, next(), signal)) {
        wasOpen = true;
        failures = 0;
        if (block.retryMs !== undefined) retryMs = Math.min(block.retryMs, MAX_RETRY_MS);
        yield block;
      }
    } catch (cause) {
      if (signal?.aborted === true) throw cause;
      error = cause instanceof CloudPhoneError ? cause : unreachable(streaming.origin, cause);
    }
    if (error !== undefined && !mayOpenAgain(error, wasOpen || failures < streaming.maxAttempts)) throw error;
    const backoffMs = Math.min(retryMs * 2 ** Math.min(Math.max(failures, 1) - 1, 4), MAX_RETRY_MS);
    const waitMs = error?.retryAfterS === undefined ? backoffMs : error.retryAfterS * 1_000;
    // The wait is partly random, so that the readers of a restarted service do not all come back at the same time.
    await streaming.wait(waitMs + (streaming.random() * retryMs) / 2, signal);
  }
}

function mayOpenAgain(error: CloudPhoneError, hasAttempts: boolean): boolean {
  if (error.status === 429) return hasAttempts && error.retryAfterS !== undefined;
  return hasAttempts && isPassing(error);
}

async function* openStream(
  { fetch, origin, headers }: Streaming,
  { path, headers: own }: StreamRequest,
  signal: AbortSignal | undefined,
): AsyncGenerator<Block, void> {
  const ended = new AbortController();
  const watchdog = platformWatchdog(IDLE_MS, () => ended.abort(new Error(`nothing came for ${IDLE_MS} ms`)));
  const leave = signal && abortWith(ended, signal);
  try {
    const request = new Request(origin + path, { headers: { ...headers, accept: 'text/event-stream', ...own } });
    const response = await fetch(request, { signal: ended.signal });
    if (!response.ok || response.body === null) throw await errorOf(response);
    yield* readBlocks(response.body, () => watchdog.feed());
  } finally {
    watchdog.stop();
    leave?.();
    ended.abort();
  }
}

/** Returns the data of a block, which is JSON of the service. */
export function dataOf(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch (cause) {
    const message = `An event is not JSON: ${data.slice(0, 200)}`;
    throw new CloudPhoneError(message, { kind: 'unexpected', status: 200 }, { cause });
  }
}
