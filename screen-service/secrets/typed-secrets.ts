import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kit/async/clock.js';
import { NOTHING_BEFORE, type Secret } from './secret.js';
import type { SearchWork } from './search-work.js';
import { SeenTexts, workInSeen } from './seen-texts.js';

/** Most secrets remembered of one phone, and for how long, ms. */
const MAX_SECRETS = 20;
const REMEMBERED_MS = 3_600_000;

/**
 * Shorter secrets, in characters, are not remembered. If each digit that equals a short secret were hidden, later observations would be
 * spoilt.
 */
const MIN_REMEMBERED = 4;

/** The secrets that were typed into one start of a phone, by all keys, and what its screen showed before. */
export class TypedSecrets {
  readonly seen = new SeenTexts();
  readonly #remembered: LRUCache<string, Secret>;
  #typed = 0;

  constructor(clock: Clock) {
    const perf = { now: () => clock.monotonicMs() + 1 };
    this.#remembered = new LRUCache({ max: MAX_SECRETS, ttl: REMEMBERED_MS, ttlResolution: 0, perf });
  }

  /** How often a secret was typed, also one that is too short to be remembered. */
  get typed(): number {
    return this.#typed;
  }

  /** Remembers a text that is about to be typed into an app (empty: it is not known which). */
  remember(text: string, app: string): void {
    this.#typed++;
    if (text.length < MIN_REMEMBERED) return;
    const known = this.#remembered.get(text);
    // A text that the screen showed since the secret was first typed may be the secret.
    const before = known?.before ?? this.seen.before(text, workInSeen());
    this.#remembered.set(text, { text, apps: new Set([...(known?.apps ?? []), app]), before });
  }

  all(): readonly Secret[] {
    return [...this.#remembered.values()];
  }

  /**
   * Returns the remembered secrets, and those of a call's own secrets that are not remembered. It is not known where the latter are, so
   * they are hidden everywhere.
   */
  allWith(texts: readonly string[]): readonly Secret[] {
    const others = texts.filter((text) => this.#remembered.get(text) === undefined);
    const work = workInSeen();
    return [...this.all(), ...[...new Set(others)].map((text) => this.#unremembered(text, work))];
  }

  #unremembered(text: string, work: SearchWork): Secret {
    const before = text.length < MIN_REMEMBERED ? NOTHING_BEFORE : this.seen.before(text, work);
    return { text, apps: new Set(['']), before };
  }
}
