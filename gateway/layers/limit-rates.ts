import type { IncomingMessage } from 'node:http';
import type { WindowCount } from '../../kit/fixed-windows.js';
import { Scope } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { type Context, type HeaderList, type Layer, matchOf, type Refusal } from '../exchange.js';
import type { Rate, Rates } from '../rates/rate-windows.js';

type AddressOf = (request: IncomingMessage) => string;

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
export function limitRates(rates: Rates, addressOf: AddressOf): Layer {
  return async (context, next) => {
    const { caller } = context.state;
    const standings: Standing[] = [];
    if (caller === undefined) {
      await count(standings, rates.stranger, addressOf(context.req));
    } else {
      const isSession = caller.scope === Scope.OWNER;
      await count(standings, isSession ? rates.session : rates.key, caller.keyId);
      const device = deviceOf(context);
      const isRefused = standings.some((standing) => standing.count > standing.limit);
      if (device !== undefined && !isRefused) await count(standings, rates.device, `${caller.accountId}/${device}`);
    }
    context.state.counted = true;
    tell(context.state.headers, standings);
    const refusal = refusalOf(standings, caller === undefined ? 'address' : 'key');
    if (refusal === undefined) await next();
    else context.state.refusal = refusal;
  };
}

/** Counts a request that ended before anyone was known for it. Answers what to say instead when there were too many. */
export type CountStranger = (context: Context) => Refusal | undefined | Promise<Refusal | undefined>;

/** By address, for everything under /v1. */
export function strangers({ stranger: { limit, windows } }: Rates, addressOf: AddressOf): CountStranger {
  const decide = ({ state }: Context, counted: WindowCount): Refusal | undefined => {
    const standings = [{ limit, ...counted }];
    tell(state.headers, standings);
    return counted.count > limit ? refusalOf(standings, 'address') : undefined;
  };
  return (context) => {
    if (!context.state.path.startsWith('/v1')) return undefined;
    const counted = windows.count(addressOf(context.req));
    return counted instanceof Promise ? counted.then((one) => decide(context, one)) : decide(context, counted);
  };
}

async function count(standings: Standing[], { limit, windows }: Rate, key: string): Promise<void> {
  const counted = windows.count(key);
  const { count, resetMs } = counted instanceof Promise ? await counted : counted;
  standings.push({ limit, count, resetMs });
}

/** No device has a longer name, and windows of what is none would only take memory: a path can be thousands of characters long. */
const LONGEST_DEVICE_NAME = 40;

/** The device that the request's path names; undefined on other routes, and when it cannot be one. */
function deviceOf(context: Context): string | undefined {
  const { route, pathValues } = matchOf(context);
  const name = route.deviceIndex === undefined ? undefined : pathValues[route.deviceIndex];
  return name !== undefined && name.length <= LONGEST_DEVICE_NAME ? name : undefined;
}

function tell(headers: HeaderList, standings: readonly Standing[]): void {
  const [first, second] = standings;
  if (first === undefined) return;
  const tightest = second !== undefined && remaining(second) < remaining(first) ? second : first;
  headers.push('RateLimit-Limit', tightest.limit);
  headers.push('RateLimit-Remaining', remaining(tightest));
  headers.push('RateLimit-Reset', Math.ceil(tightest.resetMs / 1000));
}

function refusalOf(standings: readonly Standing[], who: 'key' | 'address'): Refusal | undefined {
  const over = standings.findIndex(({ count, limit }) => count > limit);
  if (over < 0) return undefined;
  const usedUp = standings.filter((standing) => remaining(standing) === 0);
  const retryAfterS = Math.ceil(Math.max(...usedUp.map(({ resetMs }) => resetMs)) / 1000);
  const what = over === 0 ? (who === 'key' ? 'this key' : 'this address') : 'this device';
  return {
    kind: 'rate_limited',
    message: `More than ${standings[over]?.limit ?? 0} requests a minute for ${what}. Try again in ${retryAfterS} s.`,
    retryAfterS,
  };
}

function remaining({ limit, count }: Standing): number {
  return Math.max(0, limit - count);
}
