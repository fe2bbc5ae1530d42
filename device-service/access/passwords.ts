import { hash, verify } from '@node-rs/argon2';
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
  #running = 0;
  readonly #waiting: (() => void)[] = [];

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
    if (this.#running >= MOST_AT_ONCE) {
      if (this.#waiting.length >= this.#waitingMax) {
        throw new ApiError('rate_limited', 'Too many people sign in just now. Try again in a moment.', {
          retryAfterS: 2,
        });
      }
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#running++;
    }
    try {
      return await work();
    } finally {
      // The turn is handed on, so that no later caller takes it first.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}

/** Base64 as argon2's encoded form has it. */
function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
