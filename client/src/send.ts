import { CloudPhoneError, errorOf } from './errors.js';
import type { Wait } from './platform.js';

/** How requests are sent and repeated. */
export interface Sending {
  fetch: (request: Request, init: RequestInit) => Promise<Response>;
  wait: Wait;
  /** 0 to below 1: spreads the repetitions of many callers. */
  random: () => number;
  /** Most attempts for one request. */
  maxAttempts: number;
  /** Longest time of one attempt, ms. */
  timeoutMs: number;
}

/** Longest Retry-After that is waited for, seconds: a window of the rate limits. */
const MAX_RETRY_AFTER_S = 60;

/** First wait before a repetition whose response has no Retry-After, ms; it doubles. */
const BACKOFF_MS = 500;

/**
 * Makes a fetch that repeats requests where that is safe, and throws a CloudPhoneError for every response that is not a success.
 *
 * A GET, or a request with an Idempotency-Key, is repeated after a lost connection, 502, 503 and 504. After these, any other request may
 * have had an effect, so it is not repeated. After a 429 with Retry-After any request may be repeated, as the service refused it before any
 * effect.
 */
export function createSend(sending: Sending): (request: Request) => Promise<Response> {
  return async (request) => {
    const repeatable = isRepeatable(request);
    for (let attempt = 1; ; attempt++) {
      const mayRepeat = repeatable && attempt < sending.maxAttempts;
      const result = await attemptOnce(mayRepeat ? request.clone() : request, sending);
      if (!(result instanceof CloudPhoneError)) return result;
      const waitMs = mayRepeat ? waitBeforeNext(result, request, attempt, sending.random) : undefined;
      if (waitMs === undefined) throw result;
      await sending.wait(waitMs, request.signal);
    }
  };
}

async function attemptOnce(request: Request, { fetch, timeoutMs }: Sending): Promise<Response | CloudPhoneError> {
  const timeout = AbortSignal.timeout(timeoutMs);
  // A download is read under this signal too, so the signal cannot be released earlier. It leaves no listeners behind, as both signals
  // belong to this request.
  const signal = AbortSignal.any([request.signal, timeout]); // eslint-disable-line no-restricted-syntax -- see above
  try {
    const response = await fetch(request, { signal });
    // A 304 is a success too: the caller's copy is current.
    if (!response.ok && response.status !== 304) return await errorOf(response);
    return isReadWhole(response) ? await readWhole(response) : response;
  } catch (cause) {
    // Aborted by the caller: not an outcome of the request.
    if (request.signal.aborted) throw cause;
    if (!timeout.aborted) return unreachable(request.url, cause);
    const message = `${new URL(request.url).origin} did not respond within ${timeoutMs} ms.`;
    return new CloudPhoneError(message, { kind: 'timeout', status: 0 }, { cause });
  }
}

/** Whether a response is short. Videos, files, exports and events are left as streams, as they may be larger than the memory. */
function isReadWhole({ body, headers }: Response): boolean {
  return body !== null && /^(?:application\/json|text\/plain|image\/)/.test(headers.get('content-type') ?? '');
}

/**
 * Reads the body, so that the end of the connection meanwhile counts as no response. The headers stay as fetch has them: Content-Encoding
 * and Content-Length are those of the bytes before they were decoded.
 */
async function readWhole(response: Response): Promise<Response> {
  const { status, statusText, headers } = response;
  return new Response(await response.arrayBuffer(), { status, statusText, headers });
}

/** Returns the error of a request that got no whole response. */
export function unreachable(url: string, cause: unknown): CloudPhoneError {
  const { origin } = new URL(url);
  const message = `${origin} cannot be reached: ${reasonOf(cause)}. Check the base URL and that the service runs.`;
  return new CloudPhoneError(message, { kind: 'unreachable', status: 0 }, { cause });
}

/** Whether the service may be back soon. */
export function isPassing({ kind, status }: CloudPhoneError): boolean {
  return status === 502 || status === 503 || status === 504 || kind === 'unreachable' || kind === 'timeout';
}

/** The reason that fetch has in the cause of its "fetch failed". */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return error.message;
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}

/** A body that is a stream or a file is sent once: a copy of it would be held in memory. */
function isRepeatable({ body, headers }: Request): boolean {
  return body === null || (headers.get('content-type') ?? '').startsWith('application/json');
}

function waitBeforeNext(
  error: CloudPhoneError,
  request: Request,
  attempt: number,
  random: () => number,
): number | undefined {
  const isSafe = ['GET', 'HEAD'].includes(request.method) || request.headers.has('idempotency-key');
  const { status, retryAfterS } = error;
  if (status === 429 ? retryAfterS === undefined : !isSafe || !isPassing(error)) return undefined;
  if (retryAfterS !== undefined && retryAfterS > MAX_RETRY_AFTER_S) return undefined;
  const backoffMs = BACKOFF_MS * 2 ** (attempt - 1);
  return (retryAfterS === undefined ? backoffMs : retryAfterS * 1_000) + random() * BACKOFF_MS;
}
