import type { Clock } from '../../kit/clock.js';
import { FixedWindows, type WindowCount } from '../../kit/fixed-windows.js';
import type { EdgeLimits } from '../limits.js';

/** Length of a window, ms. Each begins with the first request after the last one ended. */
export const RATE_WINDOW_MS = 60_000;

/** Counts requests by key, for one gateway or for all that share it. */
export interface RateWindows {
  count(key: string): WindowCount | Promise<WindowCount>;
}

/** The kinds of windows in which requests are counted. */
export interface Rates {
  /** By API key. */
  key: Rate;
  /** By panel session. */
  session: Rate;
  /** By account, over all its keys and sessions. */
  account: Rate;
  /** By device, over all keys. */
  device: Rate;
  /** By address, for requests without a known caller: wrong keys, unknown routes, signing in. */
  stranger: Rate & { windows: FixedWindows };
}

export interface Rate {
  /** Requests in a window. */
  limit: number;
  windows: RateWindows;
}

export type OpenWindows = (name: string, limit: number) => RateWindows;

/** The edge's rates, counted in windows that `open` makes for each. Absent: in the memory of this process. */
export function ratesOf(limits: EdgeLimits, clock: Clock, open: OpenWindows = windowsInMemory(clock)): Rates {
  const rate = (name: string, limit: number): Rate => ({ limit, windows: open(name, limit) });
  return {
    key: rate('key', limits.keyRequestsMax),
    session: rate('session', limits.sessionRequestsMax),
    account: rate('account', limits.accountRequestsMax),
    device: rate('device', limits.deviceRequestsMax),
    // Strangers are counted by each gateway for itself, and apart: a flood of them reaches no database and no key's window.
    stranger: { limit: limits.strangerRequestsMax, windows: new FixedWindows({ clock, windowMs: RATE_WINDOW_MS }) },
  };
}

function windowsInMemory(clock: Clock): OpenWindows {
  return () => new FixedWindows({ clock, windowMs: RATE_WINDOW_MS });
}
