import type { Clock } from '../../kit/async/clock.js';
import { FixedWindows } from '../../kit/async/fixed-windows.js';
import type { Log } from '../../kit/log/log.js';

/**
 * Lines of one address in a minute for its refused requests, for its requests that the service failed, and for its other requests without a
 * caller. Each kind has lines of its own: a line of the second kind is the only one with the cause of a fault.
 */
const MAX_LINES_OF_KIND = { refused: 20, failed: 20, other: 200 };
/** The lines of one kind for all addresses together. One customer can have thousands of IPv6 networks, each of which is an address here. */
const MAX_LINES = { refused: 2_000, failed: 600, other: 2_000 };
/** Addresses and statuses that are counted apart in a minute. All that come later have one number. */
const MAX_COUNTS = 1_000;
/** Addresses whose lines are counted. */
const MAX_ADDRESSES = 10_000;

const MINUTE_MS = 60_000;

/**
 * Decides which requests have lines of their own, among those that cost their client nothing: requests without a caller, and those over a rate
 * limit. Anyone can send any number of them, and a line for each would fill the log. The others are counted by address and status, and each
 * number is logged at the end of the minute.
 */
export class RequestLines {
  readonly #clock: Clock;
  readonly #log: Pick<Log, 'info'>;
  readonly #ofAddress: FixedWindows;
  /** One window for each kind, apart from those of addresses: these are dropped while there are too many. */
  readonly #ofAll: FixedWindows;
  #counts = new Map<string, Count>();

  constructor({ clock, log }: { clock: Clock; log: Pick<Log, 'info'> }) {
    this.#clock = clock;
    this.#log = log;
    this.#ofAddress = new FixedWindows({ clock, windowMs: MINUTE_MS, maxKeys: MAX_ADDRESSES });
    this.#ofAll = new FixedWindows({ clock, windowMs: MINUTE_MS });
  }

  /** Returns whether the request has a line; otherwise it is counted. */
  admits(address: string, status: number): boolean {
    const kind = kindOf(status);
    const isOwnOver = this.#ofAddress.count(`${address} ${kind}`).count > MAX_LINES_OF_KIND[kind];
    if (!isOwnOver && this.#ofAll.count(kind).count <= MAX_LINES[kind]) return true;
    this.#count({ address, status });
    return false;
  }

  #count(request: Omit<Count, 'count'>): void {
    // The timer waits only while there is something to log.
    if (this.#counts.size === 0) this.#clock.after(MINUTE_MS, () => this.#report());
    const key = `${request.address} ${request.status}`;
    const isApart = this.#counts.has(key) || this.#counts.size < MAX_COUNTS;
    const count = this.#counts.get(isApart ? key : OTHERS);
    if (count !== undefined) count.count++;
    else this.#counts.set(isApart ? key : OTHERS, { ...(isApart ? request : { address: OTHERS }), count: 1 });
  }

  #report(): void {
    const counts = this.#counts;
    this.#counts = new Map();
    for (const count of counts.values()) this.#log.info(count, 'more requests');
  }
}

function kindOf(status: number): keyof typeof MAX_LINES {
  if (status >= 500) return 'failed';
  return status >= 400 ? 'refused' : 'other';
}

interface Count {
  address: string;
  /** Absent: requests of any status. */
  status?: number;
  count: number;
}

/** In place of the address of those that are not counted apart. */
const OTHERS = 'others';
