/** Limits of mails. The numbers are our choice, unless a comment gives a reason. */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** How long the link of a password reset works, ms. */
export const RESET_LIFETIME_MS = 30 * MINUTE_MS;
/** How long the link that verifies an address works, ms. */
export const VERIFICATION_LIFETIME_MS = DAY_MS;

/** How long a mail is tried, ms. */
export const GIVE_UP_MS = DAY_MS;
/** The waits between attempts, ms; the last one repeats. */
export const RETRY_DELAYS_MS = [
  15_000,
  30_000,
  MINUTE_MS,
  2 * MINUTE_MS,
  5 * MINUTE_MS,
  10 * MINUTE_MS,
  15 * MINUTE_MS,
];
/** How often due mails are looked for, ms. A new mail does not wait for it. */
export const SEND_EVERY_MS = 5_000;
/** Mails that this process sends at the same time. Each has a connection of its own. */
export const MAX_CONNECTIONS = 4;
/** Time limit of one attempt, ms: a mail server may take long to look at a mail. */
export const SEND_TIMEOUT_MS = 60_000;
/** How long a sender has a mail for itself, ms. It is longer than an attempt, so that two senders never send one mail at the same time. */
export const CLAIM_MS = 2 * SEND_TIMEOUT_MS;
/** How long an attempt may go on after the process begins to stop, ms. */
export const STOP_MS = 5_000;

/** How long a mail of the same id is not queued again where its kind names no other window, ms. */
export const DEFAULT_WINDOW_MS = HOUR_MS;
/** Nobody gets a second mail about the same device within this time, ms. */
export const ATTENTION_WINDOW_MS = 6 * HOUR_MS;
/** Nobody gets a second mail about the balance of the same account within this time, ms. */
export const BALANCE_WINDOW_MS = DAY_MS;
/** How often the balances of accounts with running devices are looked at, ms. */
export const BALANCE_EVERY_MS = HOUR_MS;
/** Owners and admins that get a notice; the first members come first. */
export const MAX_NOTIFIED = 20;

/** A bound of the mails within a window. */
export interface MailBound {
  most: number;
  windowMs: number;
}

/** Mails of one kind to one address: enough for someone who asks again, and few enough for someone who did not ask. */
export const MAX_TO_ADDRESS: MailBound = { most: 5, windowMs: HOUR_MS };
/** Invitations and notices of one account, each. */
export const MAX_OF_ACCOUNT: MailBound = { most: 100, windowMs: DAY_MS };
/** Mails of one kind in all, which bounds the queue too: it holds the mails of a day at the most. */
export const MAX_OF_KIND: MailBound = { most: 2_000, windowMs: HOUR_MS };

/** Longest text of a mail that comes from a user, characters. */
export const MAX_TEXT_CHARS = 500;
/** Queued mails that are counted for a metric: a higher count would be no news to the operator. */
export const MAX_COUNTED = 10_000;
