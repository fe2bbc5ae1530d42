import Router from '@koa/router';
import { Agent, fetch } from 'undici';
import { begunAhead } from '../kit/async/begun-ahead.js';
import type { OwnTrust } from '../kit/https/server-certificate.js';
import type { Clock } from '../kit/async/clock.js';
import { ApiError } from '../kit/errors/api-error.js';
import { unlessAborted, within } from '../kit/async/within.js';
import type { Middleware, State } from './context.js';

/** How long the status service may take to respond, ms. */
const STATUS_TIMEOUT_MS = 5_000;

/** How long a response of the status service, or its failure, is passed on before it is asked again, ms. */
const KEPT_MS = 1_000;

/** The paths of the pages, each of which has one response in memory. */
const PATHS = ['/status', '/status.json'] as const;

/** The headers of the status service's responses that are passed on to clients. */
const PASSED_ON = ['content-type', 'cache-control', 'etag', 'content-security-policy', 'referrer-policy'] as const;

interface StatusPagesParts {
  /** URL of the status service. Undefined: there are no such pages. */
  statusUrl: string | undefined;
  statusTrust: (() => OwnTrust) | undefined;
  clock: Clock;
}

/** A response of the status service. */
interface Page {
  status: number;
  headers: [name: string, value: string][];
  body: Buffer;
}

/**
 * Creates the router of `/status` and `/status.json`. It passes on the responses of the status service at `statusUrl`, so that customers
 * find these pages beside the API. While the gateway is down, the status service's own port serves them.
 *
 * Anyone may read the pages, with no key and no limit. So the status service is asked once a second for a page, however many read it.
 */
export function createStatusPages({ statusUrl, statusTrust, clock }: StatusPagesParts): Router<State> {
  const router = new Router<State>({ strict: true, sensitive: true });
  if (statusUrl === undefined) return router;
  for (const path of PATHS) router.get(path, passOn(shared(() => load(statusUrl + path, statusTrust, clock), clock)));
  return router;
}

function passOn(pageNow: () => Promise<Page>): Middleware {
  return async (ctx) => {
    const { signal } = ctx.state.call;
    try {
      const { status, headers, body } = await unlessAborted(signal, pageNow());
      ctx.status = status;
      for (const [name, value] of headers) ctx.set(name, value);
      ctx.set('X-Content-Type-Options', 'nosniff');
      const etag = ctx.response.get('ETag');
      // ctx.fresh is not used: see http/asset.ts.
      if (status === 200 && etag !== '' && ctx.get('If-None-Match').includes(etag)) ctx.status = 304;
      else ctx.body = body;
    } catch (error) {
      signal.throwIfAborted();
      throw new ApiError('unavailable', 'The status page is not available at the moment. Try again.', {
        cause: error,
        retryAfterS: 5,
      });
    }
  };
}

/** Returns a function that does `work` for all who ask while it is done, and for those who ask within KEPT_MS after that. */
function shared<T>(work: () => Promise<T>, clock: Clock): () => Promise<T> {
  let latest: { result: Promise<T>; untilMs: number } | undefined;
  return () => {
    if (latest !== undefined && clock.monotonicMs() < latest.untilMs) return latest.result;
    const now = { result: begunAhead(work()), untilMs: Infinity };
    const onEnd = (): void => void (now.untilMs = clock.monotonicMs() + KEPT_MS);
    now.result.then(onEnd, onEnd);
    latest = now;
    return now.result;
  };
}

/** Asks the status service for a page. No client ends that by hanging up, as others may wait for it. */
async function load(url: string, statusTrust: (() => OwnTrust) | undefined, clock: Clock): Promise<Page> {
  const limit = { clock, timeoutMs: STATUS_TIMEOUT_MS, onTimeout: () => new Error('it took too long') };
  // An agent is made each time, as the certificate may be renewed.
  const dispatcher = statusTrust && new Agent({ connect: statusTrust() });
  try {
    return await within(limit, async (signal) => {
      const response = await fetch(url, { signal, redirect: 'error', ...(dispatcher && { dispatcher }) });
      const body = Buffer.from(await response.arrayBuffer());
      const headers = PASSED_ON.flatMap((name) => {
        const value = response.headers.get(name);
        return value === null ? [] : [[name, value] satisfies [string, string]];
      });
      return { status: response.status, headers, body };
    });
  } finally {
    await dispatcher?.destroy();
  }
}
