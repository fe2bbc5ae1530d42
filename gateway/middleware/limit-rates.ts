import { ClientGone } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type Context, type Middleware, routeOf } from '../context.js';
import type { Rate, Rates } from '../rates/rate-windows.js';

/** State of one window after a request was counted in it. */
interface Usage {
  /** For the error text. */
  subject: 'key' | 'account' | 'address' | 'device';
  limit: number;
  count: number;
  resetMs: number;
}

/**
 * Counts the request of a known caller by key (or session), by account and, on device routes, by device over all keys; one of a public
 * route by address. Refuses it when a limit is exceeded, before a byte of its body is read. The RateLimit headers are those of the
 * tightest one.
 *
 * A request that one limit refuses does not count against the following ones. Retry-After waits for every window that is used up, so a
 * client that obeys it is not refused again because of its own requests.
 */
export function limitRates(rates: Rates): Middleware {
  return async (ctx, next) => {
    const { caller } = ctx.state.call;
    const usages: Usage[] = [];
    if (caller === undefined) {
      usages.push(await count('address', rates.stranger, ctx.ip));
    } else {
      const rate = caller.scope === Scope.OWNER ? rates.session : rates.key;
      const device = deviceOf(ctx);
      const counted: (readonly [Usage['subject'], Rate, string])[] = [
        ['key', rate, caller.keyId],
        ['account', rates.account, caller.accountId],
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
    throwIfExceeded(usages);
    await next();
  };
}

/** Counts, by address, each request under /v1 that fails before its caller is known: wrong keys, unknown routes. */
export function limitStrangers({ stranger }: Rates): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      if (ctx.state.counted !== true && ctx.url.startsWith('/v1') && !(error instanceof ClientGone)) {
        const usage = await count('address', stranger, ctx.ip);
        setHeaders(ctx, [usage]);
        throwIfExceeded([usage]);
      }
      throw error;
    }
  };
}

async function count(subject: Usage['subject'], { limit, windows }: Rate, key: string): Promise<Usage> {
  const { count, resetMs } = await windows.count(key);
  return { subject, limit, count, resetMs };
}

/** Longest name of a device. A path can hold thousands of characters, and a window for a name that cannot exist only takes memory. */
const LONGEST_DEVICE_NAME = 40;

/** Returns the device that the path names; undefined on other routes, and for text that cannot be a device's name. */
function deviceOf(ctx: Context): string | undefined {
  const { deviceField } = routeOf(ctx);
  const name = deviceField === undefined ? undefined : ctx.params[deviceField];
  return name !== undefined && name.length <= LONGEST_DEVICE_NAME ? name : undefined;
}

function setHeaders(ctx: Context, usages: readonly Usage[]): void {
  const [tightest] = usages.toSorted((a, b) => remaining(a) - remaining(b));
  if (tightest === undefined) return;
  ctx.set('RateLimit-Limit', String(tightest.limit));
  ctx.set('RateLimit-Remaining', String(remaining(tightest)));
  ctx.set('RateLimit-Reset', String(Math.ceil(tightest.resetMs / 1000)));
}

function throwIfExceeded(usages: readonly Usage[]): void {
  const exceeded = usages.find(({ count, limit }) => count > limit);
  if (exceeded === undefined) return;
  const usedUp = usages.filter((usage) => remaining(usage) === 0);
  const retryAfterS = Math.ceil(Math.max(...usedUp.map(({ resetMs }) => resetMs)) / 1000);
  const { limit, subject } = exceeded;
  throw new ApiError(
    'rate_limited',
    `More than ${limit} requests a minute for this ${subject}. Try again in ${retryAfterS} s.`,
    { retryAfterS },
  );
}

function remaining({ limit, count }: Usage): number {
  return Math.max(0, limit - count);
}
