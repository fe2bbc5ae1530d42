import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../../kit/errors.js';

/**
 * argon2id with 19 MiB and two passes, which is what OWASP's password storage cheat sheet asks for at the least, and what a hash
 * says of itself, so it can be raised later. About 30 ms of a processor, off the event loop.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Hashes made at the same time; more would keep Node's four pool threads from files and names. */
const MOST_AT_ONCE = 2;
/** Callers that may wait for their turn; 100 wait about 2 s. */
const MOST_WAITING = 100;

/** Makes and checks password hashes, a few at a time. */
export class Passwords {
  #running = 0;
  readonly #waiting: (() => void)[] = [];
  /** Of a password that nobody has: checked for unknown accounts, so that they take as long as known ones. */
  #nobody: Promise<string> | undefined;

  /** Throws rate_limited when too many wait. */
  hash(password: string): Promise<string> {
    return this.#inTurn(() => hash(password, COST));
  }

  /** Whether `password` is the one of `passwordHash`; false after as long a time when there is no hash. */
  async verify(passwordHash: string | undefined, password: string): Promise<boolean> {
    this.#nobody ??= this.hash(crypto.randomUUID());
    const against = passwordHash ?? (await this.#nobody);
    const matches = await this.#inTurn(() => verify(against, password));
    return matches && passwordHash !== undefined;
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= MOST_AT_ONCE) {
      if (this.#waiting.length >= MOST_WAITING) {
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
      // The turn is handed on, so that nobody who comes in between takes it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running--;
      else next();
    }
  }
}
