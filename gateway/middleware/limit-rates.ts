import { ClientGone } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type Context, type Middleware, routeOf } from '../context.js';
import { takePayment } from '../http/inner-request.js';
import type { Rate, Rates } from '../rates/rate-windows.js';

/** State of one window after a request was counted in it. */
interface Usage {
  /** The subject of the window, for the error text. */
  subject: 'key' | 'account' | 'address' | 'device';
  limit: number;
  count: number;
  resetMs: number;
}

/**
 * Counts the request of a known caller by key (or session), by account and, on device routes, by device over all keys. The request of a
 * public route is counted by address. When a limit is exceeded, the request is refused before a byte of its body is read.
 */
export function limitRates(rates: Rates): Middleware {
  return async (ctx, next) => {
    const refusal = await countRequest(ctx, rates, deviceOf(ctx));
    if (refusal !== undefined) throw refusal;
    await next();
  };
}

/**
 * Counts a request in all its windows. Returns the refusal when a limit is exceeded. The RateLimit headers are those of the tightest
 * limit.
 *
 * A request that one limit refuses does not count against the following ones. Retry-After waits for every window that is used up. So a
 * client that obeys it is not refused again because of its own requests.
 */
export async function countRequest(
  ctx: Context,
  rates: Rates,
  device: string | undefined,
): Promise<ApiError | undefined> {
  const { caller } = ctx.state.call;
  const usages: Usage[] = [];
  if (caller === undefined) {
    usages.push(await count('address', rates.anonymous, ctx.ip));
  } else {
    const rate = caller.scope === Scope.PERSON ? rates.session : rateOfKey(rates.key, caller);
    const counted: (readonly [Usage['subject'], Rate, string])[] = [
      ...(takePayment(ctx.req)
        ? []
        : [['key', rate, caller.keyId] as const, ['account', rates.account, caller.accountId] as const]),
      ...(device === undefined ? [] : [['device', rates.device, `${caller.accountId}/${device}`] as const]),
    ];
    for (const [subject, limit, key] of counted) {
      const usage = await count(subject, limit, key);
      usages.push(usage);
      if (usage.count > usage.limit) break;
    }
  }
  ctx.state.counted = true;
  setHeaders(ctx, usages);
  return refusalOf(usages);
}

/** Returns the rate of a key: its own, or that of all keys where that is less, as the operator may have lowered it since. */
function rateOfKey({ limit, windows }: Rate, { requestsPerMinute = limit }: Caller): Rate {
  return { limit: Math.min(limit, requestsPerMinute), windows };
}

/** Counts, by address, each request under /v1, or of an endpoint, that fails before its caller is known, such as wrong keys and unknown routes. */
export function limitAnonymousClients({ anonymous }: Rates): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (
        ctx.state.counted !== true &&
        (ctx.url.startsWith('/v1') || ctx.state.endpoint !== undefined) &&
        !(error instanceof ClientGone)
      ) {
        const usage = await count('address', anonymous, ctx.ip);
        setHeaders(ctx, [usage]);
        const refusal = refusalOf([usage]);
        if (refusal !== undefined) throw refusal;
      }
      throw error;
    }
  };
}

async function count(subject: Usage['subject'], { limit, windows }: Rate, key: string): Promise<Usage> {
  const { count, resetMs } = await windows.count(key);
  return { subject, limit, count, resetMs };
}

/**
 * Longest name of a device. A path can have thousands of characters, and a window for a name that cannot exist would only take memory.
 */
const MAX_DEVICE_NAME_CHARS = 40;

/** Returns the device that the path names; undefined on other routes, and for text that cannot be a device's name. */
function deviceOf(ctx: Context): string | undefined {
  const { deviceField } = routeOf(ctx);
  const name = deviceField === undefined ? undefined : ctx.params[deviceField];
  return name !== undefined && name.length <= MAX_DEVICE_NAME_CHARS ? name : undefined;
}

function setHeaders(ctx: Context, usages: readonly Usage[]): void {
  const [tightest] = usages.toSorted((a, b) => remaining(a) - remaining(b));
  if (tightest === undefined) return;
  ctx.set('RateLimit-Limit', String(tightest.limit));
  ctx.set('RateLimit-Remaining', String(remaining(tightest)));
  ctx.set('RateLimit-Reset', String(Math.ceil(tightest.resetMs / 1000)));
}

/** Returns the error for a request that exceeds a limit; undefined when it exceeds none. */
function refusalOf(usages: readonly Usage[]): ApiError | undefined {
  const exceeded = usages.find(({ count, limit }) => count > limit);
  if (exceeded === undefined) return undefined;
  const usedUp = usages.filter((usage) => remaining(usage) === 0);
  const retryAfterS = Math.ceil(Math.max(...usedUp.map(({ resetMs }) => resetMs)) / 1000);
  const { limit, subject } = exceeded;
  return new ApiError(
    'rate_limited',
    `More than ${limit} requests a minute for this ${subject}. Try again in ${retryAfterS} s.`,
    { retryAfterS },
  );
}

function remaining({ limit, count }: Usage): number {
  return Math.max(0, limit - count);
}
