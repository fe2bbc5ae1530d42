import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import { FixedWindows } from '../../../kit/async/fixed-windows.js';

/** Attempts are counted in windows of this length, ms. */
const WINDOW_MS = 15 * 60_000;
/** Wrong passwords in a window for one e-mail from one address. */
const MAX_FOR_PAIR = 10;
/**
 * Wrong passwords in a window for one e-mail from all addresses together. The bound is higher, so that a stranger cannot easily lock an
 * owner out.
 */
const MAX_FOR_EMAIL = 50;
/** Wrong passwords in a window from one address for all e-mails together. */
const MAX_FROM_ADDRESS = 100;
/**
 * Passwords in a window, right ones included, for one e-mail from one address. It is enough for a script that signs in at each of its
 * runs, but not for a loop.
 */
const MAX_CHECKS_FOR_PAIR = 60;
/**
 * Passwords in a window, right ones included, from one address for all e-mails: enough for an office behind one address. Each takes 30 ms
 * of a processor.
 */
const MAX_CHECKS_FROM_ADDRESS = 300;
/** New accounts in a window from one address: enough for a class of students behind one address, but not for a script. */
const MAX_SIGN_UPS = 100;

/** Invitations in a window of one account: enough to invite a department by a script. */
const MAX_INVITATIONS = 100;

/** Wrong codes in a window for one person from all addresses: of a million codes, three are right at a time. */
const MAX_PROOFS_FOR_EMAIL = 20;
/** Sign-ins that end by a second factor, or begin for a passkey, in a window from one address. */
const MAX_CHALLENGES = 300;
/** Requests for a mail in a window from one address: enough for an office that forgot its passwords. */
const MAX_MAIL_REQUESTS = 20;
/** Links of mails in a window from one address, right ones included. */
const MAX_MAIL_LINKS = 100;

/** A window in which an attempt is counted, and the bound of that window. */
type Bound = readonly [windows: FixedWindows, key: string, most: number];

/**
 * Bounds how fast passwords can be guessed, sessions opened and accounts made. The counts are in memory, for a bounded number of e-mails
 * and addresses. A restart loses them, and each instance counts for itself. With these bounds, and 30 ms of argon2 for each password,
 * that helps an attacker little. A database write for every guess would make it easy to overload the service.
 */
export class Throttle {
  readonly #pairs: FixedWindows;
  readonly #emails: FixedWindows;
  readonly #addresses: FixedWindows;
  readonly #checksOfPairs: FixedWindows;
  readonly #checksOfAddresses: FixedWindows;
  readonly #signUps: FixedWindows;
  readonly #invitations: FixedWindows;
  readonly #proofsOfPairs: FixedWindows;
  readonly #proofsOfEmails: FixedWindows;
  readonly #proofsOfAddresses: FixedWindows;
  readonly #challenges: FixedWindows;
  readonly #mailRequests: FixedWindows;
  readonly #mailLinks: FixedWindows;

  constructor(clock: Clock) {
    const windows = (): FixedWindows => new FixedWindows({ clock, windowMs: WINDOW_MS });
    this.#pairs = windows();
    this.#emails = windows();
    this.#addresses = windows();
    this.#checksOfPairs = windows();
    this.#checksOfAddresses = windows();
    this.#signUps = windows();
    this.#invitations = windows();
    this.#proofsOfPairs = windows();
    this.#proofsOfEmails = windows();
    this.#proofsOfAddresses = windows();
    this.#challenges = windows();
    this.#mailRequests = windows();
    this.#mailLinks = windows();
  }

  /** Counts an attempt before the password is checked, so that attempts at the same time count too. Throws rate_limited. */
  signIn(email: string, address: string): void {
    const pair = pairOf(email, address);
    // The bounds of the address come first: a refused address then displaces no remembered e-mail. The bound of the e-mail comes last. An
    // address beyond its own bound must not use up the attempts of the owner, who is at another address.
    const bounds: Bound[] = [
      [this.#addresses, address, MAX_FROM_ADDRESS],
      [this.#checksOfAddresses, address, MAX_CHECKS_FROM_ADDRESS],
      [this.#pairs, pair, MAX_FOR_PAIR],
      [this.#checksOfPairs, pair, MAX_CHECKS_FOR_PAIR],
      [this.#emails, email, MAX_FOR_EMAIL],
    ];
    countAll(bounds, 'Too many attempts to sign in.');
  }

  /**
   * Called when the password was right. This attempt no longer counts as a wrong password of the address, and the wrong passwords for
   * this e-mail are cleared. The attempt still counts as a check.
   */
  signedIn(email: string, address: string): void {
    this.#pairs.forget(pairOf(email, address));
    this.#emails.forget(email);
    this.#addresses.takeBack(address);
  }

  /** Counts a sign-up. Throws rate_limited. */
  signUp(address: string): void {
    countAll([[this.#signUps, address, MAX_SIGN_UPS]], 'Too many sign-ups from this address.');
  }

  /**
   * Counts an attempt with a code before it is checked. A right password does not clear these counts, so that it does not help to guess
   * codes. Throws rate_limited.
   */
  proof(email: string, address: string): void {
    const bounds: Bound[] = [
      [this.#proofsOfAddresses, address, MAX_FROM_ADDRESS],
      [this.#proofsOfPairs, pairOf(email, address), MAX_FOR_PAIR],
      [this.#proofsOfEmails, email, MAX_PROOFS_FOR_EMAIL],
    ];
    countAll(bounds, 'Too many attempts with codes.');
  }

  /** Called when the code was right: the wrong ones of this person are cleared. */
  proven(email: string, address: string): void {
    this.#proofsOfPairs.forget(pairOf(email, address));
    this.#proofsOfEmails.forget(email);
    this.#proofsOfAddresses.takeBack(address);
  }

  /** Counts a challenge, or an attempt to end one. Throws rate_limited. */
  challenge(address: string): void {
    countAll([[this.#challenges, address, MAX_CHALLENGES]], 'Too many attempts to sign in.');
  }

  /** Counts a request for a mail. Throws rate_limited. */
  mail(address: string): void {
    countAll([[this.#mailRequests, address, MAX_MAIL_REQUESTS]], 'Too many requests for mails from this address.');
  }

  /** Counts the use of a link of a mail. Throws rate_limited. */
  mailLink(address: string): void {
    countAll([[this.#mailLinks, address, MAX_MAIL_LINKS]], 'Too many links of mails were tried from this address.');
  }

  /** Counts an invitation to an account. Throws rate_limited. */
  invite(accountId: string): void {
    countAll([[this.#invitations, accountId, MAX_INVITATIONS]], 'Too many invitations to this account.');
  }
}

function pairOf(email: string, address: string): string {
  return `${email} ${address}`;
}

/** Counts an attempt in each window. Throws rate_limited, and counts the attempt in no window, when one of the windows is used up. */
function countAll(bounds: readonly Bound[], what: string): void {
  for (const [at, [windows, key, most]] of bounds.entries()) {
    const { count, resetMs } = windows.count(key);
    if (count <= most) continue;
    for (const [counted, countedKey] of bounds.slice(0, at + 1)) counted.takeBack(countedKey);
    const retryAfterS = Math.ceil(resetMs / 1000);
    throw new ApiError('rate_limited', `${what} Try again in ${retryAfterS} s.`, { retryAfterS });
  }
}
