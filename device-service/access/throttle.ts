import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { FixedWindows } from '../../kit/fixed-windows.js';

/** Attempts are counted in windows of this length, ms. */
const WINDOW_MS = 15 * 60_000;
/** Wrong passwords for one e-mail from one address in a window. */
const MOST_FOR_PAIR = 10;
/** Wrong passwords for one e-mail from all addresses together; higher, so that a stranger cannot easily lock an owner out. */
const MOST_FOR_EMAIL = 50;
/** Wrong passwords from one address for all e-mails together. */
const MOST_FROM_ADDRESS = 100;
/** Passwords, right ones included, for one e-mail from one address: a script that signs in at each of its runs, not a loop. */
const MOST_CHECKS_FOR_PAIR = 60;
/** The same from one address for all e-mails: an office behind one address. Each takes 30 ms of a processor. */
const MOST_CHECKS_FROM_ADDRESS = 300;
/** New accounts from one address in a window: a class of students behind one address, not a script. */
const MOST_SIGN_UPS = 100;

/** A window in which an attempt is counted, and the bound of that window. */
type Bound = readonly [windows: FixedWindows, key: string, most: number];

/**
 * Bounds how fast passwords can be guessed, sessions opened and accounts made. It is kept in memory, with a bounded number of e-mails
 * and addresses: a restart forgets it, and each instance counts for itself. At these numbers, and 30 ms of argon2 for each password,
 * that helps an attacker little, while a database write for every guess would make it easy to overload the service.
 */
export class Throttle {
  readonly #pairs: FixedWindows;
  readonly #emails: FixedWindows;
  readonly #addresses: FixedWindows;
  readonly #checksOfPairs: FixedWindows;
  readonly #checksOfAddresses: FixedWindows;
  readonly #signUps: FixedWindows;

  constructor(clock: Clock) {
    const windows = (): FixedWindows => new FixedWindows({ clock, windowMs: WINDOW_MS });
    this.#pairs = windows();
    this.#emails = windows();
    this.#addresses = windows();
    this.#checksOfPairs = windows();
    this.#checksOfAddresses = windows();
    this.#signUps = windows();
  }

  /** Counts an attempt before the password is checked, so that attempts at the same time count too. Throws rate_limited. */
  signIn(email: string, address: string): void {
    const pair = pairOf(email, address);
    // The bounds of the address come first: a refused address then displaces no remembered e-mail. The bound of the e-mail comes last: an
    // address beyond its own bound must not use up the attempts of the owner, who is at another address.
    const bounds: Bound[] = [
      [this.#addresses, address, MOST_FROM_ADDRESS],
      [this.#checksOfAddresses, address, MOST_CHECKS_FROM_ADDRESS],
      [this.#pairs, pair, MOST_FOR_PAIR],
      [this.#checksOfPairs, pair, MOST_CHECKS_FOR_PAIR],
      [this.#emails, email, MOST_FOR_EMAIL],
    ];
    countAll(bounds, 'Too many attempts to sign in.');
  }

  /**
   * Called when the password was right: this attempt is no wrong password of the address, and those for this e-mail are forgotten. It
   * stays counted as a check.
   */
  signedIn(email: string, address: string): void {
    this.#pairs.forget(pairOf(email, address));
    this.#emails.forget(email);
    this.#addresses.takeBack(address);
  }

  /** Counts a sign-up. Throws rate_limited. */
  signUp(address: string): void {
    countAll([[this.#signUps, address, MOST_SIGN_UPS]], 'Too many sign-ups from this address.');
  }
}

function pairOf(email: string, address: string): string {
  return `${email} ${address}`;
}

/** Counts an attempt in each window, or, where one of them is used up, in none of them; throws rate_limited then. */
function countAll(bounds: readonly Bound[], what: string): void {
  for (const [at, [windows, key, most]] of bounds.entries()) {
    const { count, resetMs } = windows.count(key);
    if (count <= most) continue;
    for (const [counted, countedKey] of bounds.slice(0, at + 1)) counted.takeBack(countedKey);
    const retryAfterS = Math.ceil(resetMs / 1000);
    throw new ApiError('rate_limited', `${what} Try again in ${retryAfterS} s.`, { retryAfterS });
  }
}
