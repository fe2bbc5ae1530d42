import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kit/async/clock.js';
import { TypedSecrets } from './typed-secrets.js';

/** Most phones whose typed secrets are remembered, also after their sessions were closed. */
const MAX_PHONES = 2_000;

/** One start of a phone. */
export interface SecretsKey {
  phoneId: string;
  generation: number;
  identity: string;
}

/** The secrets that were typed into each start of a phone. Its session hides them on the screen, and the crash watch in traces. */
export class SecretsOfPhones {
  readonly #clock: Clock;
  readonly #secrets = new LRUCache<string, TypedSecrets>({ max: MAX_PHONES });

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the secrets of a start of a phone, which everyone who asks for it shares. */
  of(start: SecretsKey): TypedSecrets {
    const key = keyOf(start);
    const secrets = this.#secrets.get(key) ?? new TypedSecrets(this.#clock);
    this.#secrets.set(key, secrets);
    return secrets;
  }

  /** Returns the secrets of a start of a phone; undefined where nobody has used it lately. */
  known(start: SecretsKey): TypedSecrets | undefined {
    return this.#secrets.get(keyOf(start));
  }
}

function keyOf({ phoneId, generation, identity }: SecretsKey): string {
  return `${phoneId} ${generation} ${identity}`;
}
