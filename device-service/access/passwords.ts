import { hash, verify } from '@node-rs/argon2';
import pLimit from 'p-limit';
import { ApiError } from '../../kit/errors.js';

/**
 * argon2id with 19 MiB and two passes, the minimum of OWASP's password storage cheat sheet. Each hash contains its own parameters, so
 * these can be raised later. About 30 ms of a processor, off the event loop.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * A hash of no known password, checked for unknown accounts, so that they take as long as known ones. It is a constant, because
 * making one can fail, and a cached failure would be repeated for every unknown account.
 */
const NOBODY =
  `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}` +
  `$${unpadded(Buffer.alloc(16, 'salt'))}$${unpadded(Buffer.alloc(32, 'nobody'))}`;

/** Hashes made at the same time; more would keep Node's four pool threads from files and names. */
const MOST_AT_ONCE = 2;
/** Callers that may wait for their turn; 100 wait about 2 s. */
const MOST_WAITING = 100;

/** Makes and checks password hashes, a few at a time. */
export class Passwords {
  readonly #waitingMax: number;
  readonly #limit = pLimit(MOST_AT_ONCE);

  constructor(waitingMax = MOST_WAITING) {
    this.#waitingMax = waitingMax;
  }

  /** Throws rate_limited when too many wait. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, COST));
  }

  /** Whether `password` is the one of `passwordHash`. Without a hash: false, after as long a time. */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    const matches = await this.#inTurn(() => verify(passwordHash ?? NOBODY, password));
    return matches && passwordHash !== undefined;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const { activeCount, pendingCount } = this.#limit;
    if (activeCount + pendingCount >= MOST_AT_ONCE + this.#waitingMax) {
      throw new ApiError('rate_limited', 'Too many people sign in just now. Try again in a moment.', {
        retryAfterS: 2,
      });
    }
    return this.#limit(work);
  }
}

/** Base64 as argon2's encoded form has it. */
function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
