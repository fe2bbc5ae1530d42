import { LRUCache } from 'lru-cache';
import type { Timer } from '../../kit/clock.js';
import { KeptPhone, type KeptPhoneParts } from './kept-phone.js';
import type { LocatedPhone } from './reached-phone.js';
import { createTypedSecrets, type TypedSecrets } from './typed-secrets.js';

/** Time between two searches for idle phones, ms. */
const SWEEP_MS = 30_000;

/** Time for lifting fingers and ending helpers when the service ends, ms. */
const LIFTING_MS = 1_000;

/** For how many phones it is remembered when their helpers were released. A permission is used within seconds of its request. */
const RELEASES_OF_MOST = 10_000;

/** Most phones whose typed secrets are remembered, also after they are closed here. */
const SECRETS_OF_MOST = 2_000;

/**
 * Keeps each phone in its latest start. A phone that restarted gets a new KeptPhone, and the connection of the old one is closed. Idle
 * phones are closed after their running commands, and so are the least recently used ones when there are too many.
 */
export class KeptPhones {
  readonly #parts: KeptPhoneParts;
  readonly #phones: LRUCache<string, KeptPhone>;
  readonly #secrets = new LRUCache<string, TypedSecrets>({ max: SECRETS_OF_MOST });
  /** The number of the latest release of each phone's helpers, also of phones that are not kept. */
  readonly #releaseOf = new LRUCache<string, number>({ max: RELEASES_OF_MOST });
  #releases = 0;
  #sweep: Timer | undefined;

  constructor(parts: KeptPhoneParts) {
    this.#parts = parts;
    const { clock, limits } = parts;
    this.#phones = new LRUCache({
      max: limits.maxPhones,
      ttl: limits.idleMs,
      updateAgeOnGet: true,
      ttlResolution: 0,
      // The cache treats a start time of 0 as missing.
      perf: { now: () => clock.monotonicMs() + 1 },
      dispose: (kept, _phoneId, reason) => {
        if (reason === 'evict' || reason === 'expire') kept.release();
        else kept.close();
      },
    });
  }

  /**
   * Returns the kept phone at a location, made anew when the phone has restarted. A location that was read before the restart may
   * arrive late: the newer start stays, and is returned.
   */
  of(phone: LocatedPhone): KeptPhone {
    const known = this.#phones.get(phone.phoneId);
    if (known !== undefined && (known.phone.generation > phone.generation || sameStart(known.phone, phone)))
      return known;
    const kept = new KeptPhone(phone, this.#parts, this.#secretsOf(phone));
    this.#phones.set(phone.phoneId, kept);
    this.#sweep ??= this.#parts.clock.after(SWEEP_MS, () => this.#closeIdle());
    return kept;
  }

  /**
   * To be called when a permission for helpers is requested. The function that is returned uses it; a permission has no effect on a phone
   * whose helpers were released since it was requested: it may be from before the phone was lent.
   */
  requestHelpers(): (kept: KeptPhone, isAllowed: boolean) => void {
    const requestedAt = this.#releases;
    return (kept, isAllowed) => {
      const isStale = (this.#releaseOf.get(kept.phone.phoneId) ?? 0) > requestedAt;
      if (!isAllowed || !isStale) kept.resident.allow(isAllowed);
    };
  }

  /** Ends the helpers on phones; resolves when they have ended. */
  async releaseHelpers(phoneIds: readonly string[]): Promise<void> {
    this.#releases++;
    for (const phoneId of phoneIds) this.#releaseOf.set(phoneId, this.#releases);
    await Promise.all(phoneIds.map(async (phoneId) => this.#phones.peek(phoneId)?.resident.release()));
  }

  /** Phones on which the resident server runs. */
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

  #secretsOf({ phoneId, generation, identity }: LocatedPhone): TypedSecrets {
    const key = `${phoneId} ${generation} ${identity}`;
    const secrets = this.#secrets.get(key) ?? createTypedSecrets(this.#parts.clock);
    this.#secrets.set(key, secrets);
    return secrets;
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
