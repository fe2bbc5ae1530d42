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
/** New accounts from one address in a window: a class of students behind one address, not a script. */
const MOST_SIGN_UPS = 100;

/**
 * Bounds how fast passwords can be guessed and accounts made. It is kept in memory, with a bounded number of e-mails and addresses:
 * a restart forgets it, and each instance counts for itself. At these numbers, and 30 ms of argon2 for each password, that helps an
 * attacker little, while a database write for every guess would make it easy to overload the service.
 */
export class Throttle {
  readonly #pairs: FixedWindows;
  readonly #emails: FixedWindows;
  readonly #addresses: FixedWindows;
  readonly #signUps: FixedWindows;

  constructor(clock: Clock) {
    const windows = (): FixedWindows => new FixedWindows({ clock, windowMs: WINDOW_MS });
    this.#pairs = windows();
    this.#emails = windows();
    this.#addresses = windows();
    this.#signUps = windows();
  }

  /** Counts an attempt before the password is looked at, so that attempts at the same time count too. Throws rate_limited. */
  signIn(email: string, address: string): void {
    const what = 'Too many attempts to sign in.';
    // First and alone: an address that is refused pushes no e-mail out of those that are remembered.
    refuseOver([[this.#addresses.count(address), MOST_FROM_ADDRESS]], what);
    refuseOver(
      [
        [this.#pairs.count(`${email} ${address}`), MOST_FOR_PAIR],
        [this.#emails.count(email), MOST_FOR_EMAIL],
      ],
      what,
    );
  }

  /** Called when the password was right: the attempts for this e-mail are forgotten, and this one is not counted for the address. */
  signedIn(email: string, address: string): void {
    this.#pairs.forget(`${email} ${address}`);
    this.#emails.forget(email);
    this.#addresses.takeBack(address);
  }

  /** Counts a sign-up. Throws rate_limited. */
  signUp(address: string): void {
    refuseOver([[this.#signUps.count(address), MOST_SIGN_UPS]], 'Too many sign-ups from this address.');
  }
}

function refuseOver(counts: [{ count: number; resetMs: number }, number][], what: string): void {
  const over = counts.filter(([{ count }, most]) => count > most).map(([{ resetMs }]) => resetMs);
  if (over.length === 0) return;
  const retryAfterS = Math.ceil(Math.max(...over) / 1000);
  throw new ApiError('rate_limited', `${what} Try again in ${retryAfterS} s.`, { retryAfterS });
}
