import { hash, verify } from '@node-rs/argon2';
import { ApiError } from '../../../kit/errors/api-error.js';
import { FairQueue } from './fair-queue.js';

/**
 * argon2id with 19 MiB and two passes, the minimum of OWASP's password storage cheat sheet. Each hash contains its own parameters, so
 * these can be raised later. One hash takes about 30 ms of a processor, off the event loop.
 */
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/**
 * The hash of a password that nobody knows. It is checked for unknown accounts, so that they take as long as known ones. It is a constant
 * because making one can fail, and a cached failure would be repeated for every unknown account.
 */
const NOBODY =
  `$argon2id$v=19$m=${COST.memoryCost},t=${COST.timeCost},p=${COST.parallelism}` +
  `$${unpadded(Buffer.alloc(16, 'salt'))}$${unpadded(Buffer.alloc(32, 'nobody'))}`;

/** Hashes made at the same time. More of them would leave none of Node's four pool threads to files and look-ups of names. */
const MAX_AT_ONCE = 2;
/**
 * Callers that may wait for their turn: 100 wait about 2 s. At most 20 may come from one address, such as an office's; they wait 0.4 s.
 */
const MAX_WAITING = 100;
const MAX_WAITING_OF_ADDRESS = 20;

/** Stands in place of an address, for the operator's commands. */
const OPERATOR = 'operator';

/**
 * Makes and checks password hashes, a few at a time. Addresses take turns. A call without an address is one of the operator's.
 */
export class Passwords {
  readonly #queue: FairQueue;

  constructor(maxWaiting = MAX_WAITING) {
    this.#queue = new FairQueue({ atOnce: MAX_AT_ONCE, maxWaiting, maxWaitingOfEach: MAX_WAITING_OF_ADDRESS });
  }

  /** Throws rate_limited when too many wait. */
  hash(password: string, address = OPERATOR): Promise<string> {
    return this.#inTurn(address, () => hash(password, COST));
  }

  /** Returns whether `password` is the one of `passwordHash`. Without a hash it returns false, after the same time. */
  async verify(passwordHash: string | undefined, password: string, address = OPERATOR): Promise<boolean> {
    const matches = await this.#inTurn(address, () => verify(passwordHash ?? NOBODY, password));
    return matches && passwordHash !== undefined;
  }

  #inTurn<T>(address: string, work: () => Promise<T>): Promise<T> {
    return this.#queue.add(address, work, tooMany);
  }
}

function tooMany(): ApiError {
  return new ApiError('rate_limited', 'Too many people sign in just now. Try again in a moment.', { retryAfterS: 2 });
}

/** Returns Base64 in the form that argon2's encoded hashes have. */
function unpadded(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
