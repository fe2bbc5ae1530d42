import { LRUCache } from 'lru-cache';
import type { Timer } from '../../kit/clock.js';
import { PhoneSession, type SessionParts } from './phone-session.js';
import type { LocatedPhone } from './reached-phone.js';
import { createTypedSecrets, type TypedSecrets } from './typed-secrets.js';

/** How often idle sessions are looked for, ms. */
const SWEEP_MS = 30_000;

/** Time for lifting fingers when the service ends, ms. */
const LIFTING_MS = 1_000;

/** Most phones whose typed secrets are remembered, also after their sessions. */
const SECRETS_OF_MOST = 2_000;

/**
 * Keeps one session for each phone, of its latest start. A phone that restarted gets a new one, and connections to the old one are
 * closed. Idle sessions are closed, and the least recently used when there are too many, after their running commands.
 */
export class PhoneSessions {
  readonly #parts: SessionParts;
  readonly #sessions: LRUCache<string, PhoneSession>;
  readonly #secrets = new LRUCache<string, TypedSecrets>({ max: SECRETS_OF_MOST });
  #sweep: Timer | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { clock, limits } = parts;
    this.#sessions = new LRUCache({
      max: limits.maxPhones,
      ttl: limits.idleMs,
      updateAgeOnGet: true,
      ttlResolution: 0,
      // The cache treats a start time of 0 as missing.
      perf: { now: () => clock.monotonicMs() + 1 },
      dispose: (session, _phoneId, reason) => {
        if (reason === 'evict' || reason === 'expire') session.release();
        else session.close();
      },
    });
  }

  /**
   * The session of a phone. A location that was read before the phone was started anew may arrive late: the newer session stays,
   * and is returned.
   */
  of(phone: LocatedPhone): PhoneSession {
    const kept = this.#sessions.get(phone.phoneId);
    if (kept !== undefined && (kept.phone.generation > phone.generation || sameStart(kept.phone, phone))) return kept;
    const session = new PhoneSession(phone, this.#parts, this.#secretsOf(phone));
    this.#sessions.set(phone.phoneId, session);
    this.#sweep ??= this.#parts.clock.after(SWEEP_MS, () => this.#closeIdle());
    return session;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Lifts the fingers that are left on screens, where the phones respond at once, and closes all connections. */
  async close(): Promise<void> {
    this.#sweep?.cancel();
    const { clock } = this.#parts;
    const lifted = Promise.allSettled([...this.#sessions.values()].map(({ fingers }) => fingers.releaseAll()));
    let limit: Timer | undefined;
    await Promise.race([lifted, new Promise<void>((resolve) => (limit = clock.after(LIFTING_MS, resolve)))]);
    limit?.cancel();
    this.#sessions.clear();
  }

  #secretsOf({ phoneId, generation, identity }: LocatedPhone): TypedSecrets {
    const key = `${phoneId} ${generation} ${identity}`;
    const secrets = this.#secrets.get(key) ?? createTypedSecrets(this.#parts.clock);
    this.#secrets.set(key, secrets);
    return secrets;
  }

  #closeIdle(): void {
    this.#sweep = undefined;
    this.#sessions.purgeStale();
    if (this.#sessions.size > 0) this.#sweep = this.#parts.clock.after(SWEEP_MS, () => this.#closeIdle());
  }
}

function sameStart(kept: LocatedPhone, { generation, identity, host, port }: LocatedPhone): boolean {
  return kept.generation === generation && kept.identity === identity && kept.host === host && kept.port === port;
}
