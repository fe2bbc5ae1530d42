import Router from '@koa/router';
import { Agent, fetch } from 'undici';
import type { OwnTrust } from '../kit/https/server-certificate.js';
import type { Clock } from '../kit/async/clock.js';
import { ApiError } from '../kit/errors/api-error.js';
import { within } from '../kit/async/within.js';
import type { Middleware, State } from './context.js';

/** How long the status service may take to respond, ms. */
const STATUS_TIMEOUT_MS = 5_000;

/** The headers of the status service's responses that are passed on to clients. */
const PASSED_ON = ['content-type', 'cache-control', 'etag', 'content-security-policy', 'referrer-policy'] as const;

/**
 * Creates the router of `/status` and `/status.json`. It passes on the responses of the status service at `statusUrl`, so that customers
 * find these pages beside the API. While the gateway is down, the status service's own port serves them. Without `statusUrl` there are no
 * such pages.
 */
export function createStatusPages({
  statusUrl,
  statusTrust,
  clock,
}: {
  statusUrl: string | undefined;
  statusTrust: (() => OwnTrust) | undefined;
  clock: Clock;
}): Router<State> {
  const router = new Router<State>({ strict: true, sensitive: true });
  if (statusUrl === undefined) return router;
  const passOn: Middleware = async (ctx) => {
    const tag = ctx.get('If-None-Match');
    const onTimeout = (): Error => new Error('it took too long');
    const limit = { clock, timeoutMs: STATUS_TIMEOUT_MS, signals: [ctx.state.call.signal], onTimeout };
    try {
      await within(limit, async (signal) => {
        const headers = tag === '' ? undefined : { 'if-none-match': tag };
        // An agent is made for each request, as the certificate may be renewed.
        const dispatcher = statusTrust && new Agent({ connect: statusTrust() });
        const options = { signal, ...(headers && { headers }), ...(dispatcher && { dispatcher }) };
        const response = await fetch(statusUrl + ctx.path, { ...options, redirect: 'error' });
        const body = Buffer.from(await response.arrayBuffer());
        await dispatcher?.close();
        ctx.status = response.status;
        for (const name of PASSED_ON) {
          const value = response.headers.get(name);
          if (value !== null) ctx.set(name, value);
        }
        ctx.set('X-Content-Type-Options', 'nosniff');
        if (response.status !== 304) ctx.body = body;
      });
    } catch (error) {
      ctx.state.call.signal.throwIfAborted();
      throw new ApiError('unavailable', 'The status page is not available at the moment. Try again.', {
        cause: error,
        retryAfterS: 5,
      });
    }
  };
  for (const path of ['/status', '/status.json']) router.get(path, passOn);
  return router;
}
