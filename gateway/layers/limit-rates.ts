import type { ServerResponse } from 'node:http';
import { ApiError } from '../../kit/errors.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type Context, type Layer, matchOf } from '../exchange.js';
import type { Rate, Rates } from '../rates/rate-windows.js';

interface Standing {
  limit: number;
  count: number;
  resetMs: number;
}

/**
 * Counts the request of a known caller by key (or session) and, on device routes, by device over all keys; one of a public route by
 * address. Refuses what is over a limit, before a byte of the body is read. The answer's headers tell of the tighter limit.
 *
 * A request that the key's limit refuses does not count against the device. Retry-After waits for every window that is used up, so a
 * client that obeys it is not refused again for what it did itself.
 */
export function limitRates(rates: Rates): Layer {
  return async (context, next) => {
    const { caller } = context.state;
    const standings: Standing[] = [];
    if (caller === undefined) {
      await count(standings, rates.stranger, context.state.address);
    } else {
      const isSession = caller.scope === Scope.OWNER;
      await count(standings, isSession ? rates.session : rates.key, caller.keyId);
      const device = deviceOf(context);
      const isRefused = standings.some((standing) => standing.count > standing.limit);
      if (device !== undefined && !isRefused) await count(standings, rates.device, `${caller.accountId}/${device}`);
    }
    context.state.counted = true;
    tell(context.res, standings);
    refuseOver(standings, caller === undefined ? 'address' : 'key');
    await next();
  };
}

/** Around the layers that find out about a request: counts those that end before anyone is known for them, by address. */
export function limitStrangers({ stranger }: Rates): Layer {
  return async (context, next) => {
    try {
      await next();
    } catch (failure) {
      const { counted, path, address } = context.state;
      if (counted !== true && path.startsWith('/v1')) {
        const standings: Standing[] = [];
        await count(standings, stranger, address);
        tell(context.res, standings);
        refuseOver(standings, 'address');
      }
      throw failure;
    }
  };
}

async function count(standings: Standing[], { limit, windows }: Rate, key: string): Promise<void> {
  const counted = windows.count(key);
  const { count, resetMs } = counted instanceof Promise ? await counted : counted;
  standings.push({ limit, count, resetMs });
}

/** The device that the request's path names; undefined on other routes. */
function deviceOf(context: Context): string | undefined {
  const { route, pathValues } = matchOf(context);
  return route.deviceIndex === undefined ? undefined : pathValues[route.deviceIndex];
}

function tell(response: ServerResponse, standings: readonly Standing[]): void {
  const tightest = standings.reduce((a, b) => (remaining(b) < remaining(a) ? b : a));
  response.setHeader('RateLimit-Limit', tightest.limit);
  response.setHeader('RateLimit-Remaining', remaining(tightest));
  response.setHeader('RateLimit-Reset', Math.ceil(tightest.resetMs / 1000));
}

function refuseOver(standings: readonly Standing[], who: 'key' | 'address'): void {
  const over = standings.findIndex(({ count, limit }) => count > limit);
  if (over < 0) return;
  const usedUp = standings.filter((standing) => remaining(standing) === 0);
  const retryAfterS = Math.ceil(Math.max(...usedUp.map(({ resetMs }) => resetMs)) / 1000);
  const what = over === 0 ? (who === 'key' ? 'this key' : 'this address') : 'this device';
  throw new ApiError(
    'rate_limited',
    `More than ${standings[over]?.limit ?? 0} requests a minute for ${what}. Try again in ${retryAfterS} s.`,
    { retryAfterS },
  );
}

function remaining({ limit, count }: Standing): number {
  return Math.max(0, limit - count);
}
