import type { Clock } from '../../kit/async/clock.js';
import { FixedWindows, type WindowCount } from '../../kit/async/fixed-windows.js';
import type { EdgeLimits } from '../limits.js';

/** Length of a window, ms. Each window begins with the first request after the last one ended. */
export const RATE_WINDOW_MS = 60_000;

/** Counts requests by key, for one gateway or for all that share the counts. */
export interface RateWindows {
  count(key: string): WindowCount | Promise<WindowCount>;
}

/** The kinds of windows in which requests are counted. */
export interface Rates {
  /** Counts by API key. */
  key: Rate;
  /** Counts by panel session. */
  session: Rate;
  /** Counts by account, over all its keys and sessions. */
  account: Rate;
  /** Counts by device, over all keys. */
  device: Rate;
  /** Counts by address, for requests without a known caller: wrong keys, unknown routes, signing in. */
  anonymous: Rate & { windows: FixedWindows };
}

export interface Rate {
  /** Most requests in a window. */
  limit: number;
  windows: RateWindows;
}

export type OpenWindows = (name: string, limit: number) => RateWindows;

/**
 * Returns the edge's rates, counted in windows that `open` makes for each. Without `open`, the windows are in the memory of this process.
 */
export function ratesOf(limits: EdgeLimits, clock: Clock, open: OpenWindows = windowsInMemory(clock)): Rates {
  const rate = (name: string, limit: number): Rate => ({ limit, windows: open(name, limit) });
  return {
    key: rate('key', limits.maxKeyRequests),
    session: rate('session', limits.maxSessionRequests),
    account: rate('account', limits.maxAccountRequests),
    device: rate('device', limits.maxDeviceRequests),
    // Each gateway counts anonymous clients in its own memory, so that a flood of them reaches neither a database nor a key's window.
    anonymous: { limit: limits.maxAnonymousRequests, windows: new FixedWindows({ clock, windowMs: RATE_WINDOW_MS }) },
  };
}

function windowsInMemory(clock: Clock): OpenWindows {
  return () => new FixedWindows({ clock, windowMs: RATE_WINDOW_MS });
}
