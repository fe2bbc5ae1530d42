import { hash } from 'node:crypto';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Clock } from '../clock.js';
import { ApiError } from '../errors.js';
import type { Authenticate } from './caller.js';

/** Entries kept at the most; the oldest go first. A flood of wrong keys so costs a bounded amount of memory. */
const MOST_ENTRIES = 10_000;

interface Entry {
  until: number;
  answer: Promise<Caller>;
}

/**
 * Remembers who a header stands for, for `ttlMs`: at most 1 s in a service and 5 s in a gateway, which bounds how long a revoked
 * key works. Requests with the same header at the same time ask once. Wrong keys are remembered too; other failures are not.
 * Headers are kept as digests only.
 */
export class CallerCache {
  readonly #ask: Authenticate;
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #entries = new Map<string, Entry>();

  constructor(options: { ask: Authenticate; clock: Clock; ttlMs: number }) {
    this.#ask = options.ask;
    this.#clock = options.clock;
    this.#ttlMs = options.ttlMs;
  }

  readonly authenticate: Authenticate = (authorization) => {
    const digest = hash('sha256', authorization, 'base64');
    const now = this.#clock.monotonicMs();
    const known = this.#entries.get(digest);
    if (known !== undefined && known.until > now) return known.answer;
    const answer = this.#ask(authorization);
    const entry = { until: now + this.#ttlMs, answer };
    this.#entries.delete(digest);
    this.#entries.set(digest, entry);
    this.#trim();
    answer.catch((error: unknown) => {
      const wrongKey = error instanceof ApiError && error.kind === 'unauthorized';
      if (!wrongKey && this.#entries.get(digest) === entry) this.#entries.delete(digest);
    });
    return answer;
  };

  /** Forgets everyone, so that a revocation made through this process holds at once. */
  clear(): void {
    this.#entries.clear();
  }

  #trim(): void {
    for (const digest of this.#entries.keys()) {
      if (this.#entries.size <= MOST_ENTRIES) return;
      this.#entries.delete(digest);
    }
  }
}
