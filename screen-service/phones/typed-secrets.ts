import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kit/clock.js';

/** Secret texts that were typed into one start of a phone, each with the app it was typed into (empty: not known). */
export type TypedSecrets = LRUCache<string, string>;

/** Most secrets remembered of one phone, and for how long, ms. */
const SECRETS_MOST = 20;
const REMEMBERED_MS = 3_600_000;

export function createTypedSecrets(clock: Clock): TypedSecrets {
  const perf = { now: () => clock.monotonicMs() + 1 };
  return new LRUCache({ max: SECRETS_MOST, ttl: REMEMBERED_MS, ttlResolution: 0, perf });
}
