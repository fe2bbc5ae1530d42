import { LRUCache } from 'lru-cache';
import type { Timer } from '../../kit/async/clock.js';
import { openSession, type PhoneSession, type SessionParts } from './phone-session.js';
import type { LocatedPhone } from '../link/reached-phone.js';

/** Time between two searches for idle phones, ms. */
const SWEEP_MS = 30_000;

/** Time for lifting fingers and ending helpers when the service ends, ms. */
const LIFTING_MS = 1_000;

/** Most phones for which the latest release of their helpers is remembered. A permission is used within seconds of its request. */
const MAX_PHONES_WITH_RELEASES = 10_000;

/**
 * Keeps the session of each phone's latest start. A phone that restarted gets a new session, and the connection of the old one is closed.
 * Idle phones are closed after their running commands, and so are the least recently used ones when there are too many.
 */
export class PhoneSessions {
  readonly #parts: SessionParts;
  readonly #phones: LRUCache<string, PhoneSession>;
  /** The number of the latest release of each phone's helpers, also of phones that are not kept. */
  readonly #releaseOf = new LRUCache<string, number>({ max: MAX_PHONES_WITH_RELEASES });
  #releases = 0;
  #sweep: Timer | undefined;

  constructor(parts: SessionParts) {
    this.#parts = parts;
    const { clock, limits } = parts;
    this.#phones = new LRUCache({
      max: limits.maxPhones,
      ttl: limits.idleMs,
      updateAgeOnGet: true,
      ttlResolution: 0,
      // The cache treats a start time of 0 as missing.
      perf: { now: () => clock.monotonicMs() + 1 },
      dispose: (phoneSession, _phoneId, reason) => {
        if (reason === 'evict' || reason === 'expire') phoneSession.release();
        else phoneSession.close();
      },
    });
  }

  /**
   * Returns the phone session at a location, made anew when the phone has restarted. A location that was read before the restart may
   * arrive late: the newer start stays, and is returned.
   */
  of(phone: LocatedPhone): PhoneSession {
    const known = this.#phones.get(phone.phoneId);
    if (known !== undefined && (known.phone.generation > phone.generation || sameStart(known.phone, phone)))
      return known;
    const phoneSession = openSession(phone, this.#parts);
    this.#phones.set(phone.phoneId, phoneSession);
    this.#sweep ??= this.#parts.clock.after(SWEEP_MS, () => this.#closeIdle());
    return phoneSession;
  }

  /**
   * Is called when a permission for helpers is requested. The function that is returned applies the permission. It has no effect on a phone
   * whose helpers were released since the request, as the permission may have been given before the phone was lent.
   */
  requestHelpers(): (phoneSession: PhoneSession, isAllowed: boolean) => void {
    const requestedAt = this.#releases;
    return (phoneSession, isAllowed) => {
      const isStale = (this.#releaseOf.get(phoneSession.phone.phoneId) ?? 0) > requestedAt;
      if (!isAllowed || !isStale) phoneSession.resident.allow(isAllowed);
    };
  }

  /** Ends the helpers on phones; resolves when they have ended. */
  async releaseHelpers(phoneIds: readonly string[]): Promise<void> {
    this.#releases++;
    for (const phoneId of phoneIds) this.#releaseOf.set(phoneId, this.#releases);
    await Promise.all(phoneIds.map(async (phoneId) => this.#phones.peek(phoneId)?.resident.release()));
  }

  /** The number of phones on which the resident server runs. */
  get residentServers(): number {
    return [...this.#phones.values()].filter(({ resident }) => resident.isRunning).length;
  }

  get size(): number {
    return this.#phones.size;
  }

  /** Lifts the fingers that are left on screens and ends the helpers, where the phones respond at once, and closes all connections. */
  async close(): Promise<void> {
    this.#sweep?.cancel();
    const { clock } = this.#parts;
    const lifted = Promise.allSettled(
      [...this.#phones.values()].flatMap(({ fingers, resident }) => [fingers.releaseAll(), resident.close()]),
    );
    let limit: Timer | undefined;
    await Promise.race([lifted, new Promise<void>((resolve) => (limit = clock.after(LIFTING_MS, resolve)))]);
    limit?.cancel();
    this.#phones.clear();
  }

  #closeIdle(): void {
    this.#sweep = undefined;
    this.#phones.purgeStale();
    if (this.#phones.size > 0) this.#sweep = this.#parts.clock.after(SWEEP_MS, () => this.#closeIdle());
  }
}

function sameStart(known: LocatedPhone, { generation, identity, host, port }: LocatedPhone): boolean {
  return known.generation === generation && known.identity === identity && known.host === host && known.port === port;
}
