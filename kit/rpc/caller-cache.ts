import { begunAhead } from '../async/begun-ahead.js';
import { hash } from 'node:crypto';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from '../async/clock.js';
import { ApiError } from '../errors/api-error.js';
import type { Authenticate } from './caller.js';

/** Most good keys, and most other keys, that are kept. The oldest are dropped first, so a flood of wrong keys costs bounded memory. */
const MAX_ENTRIES = 10_000;

/** How long a service remembers a caller, ms. A key may work for so long after it was revoked. */
export const CALLER_TTL_MS = 1_000;

interface Entry {
  until: number;
  caller: Promise<Caller>;
}

/**
 * Remembers the caller of a header for `ttlMs`, which bounds how long a revoked key works: CALLER_TTL_MS in a service, 5 s in a
 * gateway. Requests with the same header at the same time ask once. Wrong keys are remembered too. They are kept apart, so that a flood of
 * them removes no good key. Other failures are not remembered. Headers are kept as digests only.
 */
export class CallerCache {
  readonly #ask: Authenticate;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  /** Callers that were found. */
  readonly #good = new Map<string, Entry>();
  /** Keys that are being looked up, and refused ones. */
  readonly #unproven = new Map<string, Entry>();

  constructor(options: { ask: Authenticate; clock: Clock; ttlMs: number }) {
    this.#ask = options.ask;
    this.#clock = options.clock;
    this.#ttlMs = options.ttlMs;
  }

  readonly authenticate: Authenticate = (authorization, address) => {
    const digest = hash('sha256', authorization, 'base64');
    const known = this.#good.get(digest) ?? this.#unproven.get(digest);
    if (known !== undefined && known.until > this.#clock.monotonicMs()) return known.caller;
    return this.#look(digest, authorization, address);
  };

  /** Looks a caller up anew, for another cache: the times of two caches must not add up. Calls that come next find it here. */
  readonly authenticateAnew: Authenticate = (authorization, address) =>
    this.#look(hash('sha256', authorization, 'base64'), authorization, address);

  #look(digest: string, authorization: string, address: string | undefined): Promise<Caller> {
    const caller = begunAhead(this.#ask(authorization, address));
    const entry = { until: this.#clock.monotonicMs() + this.#ttlMs, caller };
    // A good key whose time is over stays among the good ones while it is looked up, so that `knows` still finds it during a flood.
    const asked = this.#good.has(digest) ? this.#good : this.#unproven;
    put(asked, digest, entry);
    caller.then(
      () => {
        // A result requested before clear() is not kept, as it may be out of date.
        if (asked.get(digest) !== entry) return;
        asked.delete(digest);
        put(this.#good, digest, entry);
      },
      (error: unknown) => {
        if (asked.get(digest) !== entry) return;
        asked.delete(digest);
        if (error instanceof ApiError && error.kind === 'unauthorized') put(this.#unproven, digest, entry);
      },
    );
    return caller;
  }

  /** Returns whether `authorization` belongs to a caller that was found before, or needs no new look-up. */
  knows(authorization: string): boolean {
    const digest = hash('sha256', authorization, 'base64');
    return this.#good.has(digest) || (this.#unproven.get(digest)?.until ?? 0) > this.#clock.monotonicMs();
  }

  /** Forgets all callers, so that a revocation made through this process holds at once. */
  clear(): void {
    this.#good.clear();
    this.#unproven.clear();
  }
}

function put(entries: Map<string, Entry>, digest: string, entry: Entry): void {
  entries.delete(digest);
  entries.set(digest, entry);
  for (const oldest of entries.keys()) {
    if (entries.size <= MAX_ENTRIES) return;
    entries.delete(oldest);
  }
}
