/** Limits of accounts, keys, sessions and shares. Limits that customers rely on are also in proto/. */

/** Keys that an account may have; one more is refused. The number is our choice. It is bounded, as each key has its own rate limit. */
export const MAX_KEYS = 100;
/** Keys of an account that may have a webhook: an event goes to each of them, up to three times. */
export const MAX_WEBHOOKS = 20;
/** How long a key may last, ms: five years, of which at most two have a day more. */
export const MAX_KEY_LIFETIME_MS = (5 * 365 + 2) * 86_400_000;
/** How long before the end of a key its event comes, ms: a week. */
export const KEY_EXPIRING_MS = 7 * 86_400_000;
/** Accounts that a person may be in. The number is our choice: sign-in looks at all of them. */
export const MAX_OWN_ACCOUNTS = 100;
/** Members that an account may have. The number is our choice. */
export const MAX_MEMBERS = 1_000;
/** Open invitations that an account may have. */
export const MAX_INVITATIONS = 100;
/** How long the link of an invitation works, seconds: 7 days. */
export const INVITATION_LIFETIME_S = 7 * 86_400;
/** Second factors that a person may have. */
export const MAX_SECOND_FACTORS = 10;
/** How long a second factor that was begun waits for its confirmation, ms. */
export const FACTOR_BEGUN_MS = 10 * 60_000;
/** How long a challenge of a sign-in works, ms. */
export const CHALLENGE_LIFETIME_MS = 5 * 60_000;
/** Sessions that a person may have; one more session ends the oldest. */
export const MAX_SESSIONS = 50;
/** A session ends when it has not been used for this long, seconds: 30 days. */
export const SESSION_IDLE_S = 30 * 86_400;
/** A session ends this long after it began, however much it is used, seconds: 90 days. */
export const SESSION_LIFETIME_S = 90 * 86_400;

/**
 * Shares that a device may have at the same time; expired ones do not count. The number is our choice: a link for each person of a team.
 */
export const MAX_SHARES = 20;
/** How long a share works when its maker gives no time, seconds. */
export const SHARE_LIFETIME_S = 86_400;
/** Most viewers with one share at the same time, so that a link that was passed on does not take the sockets of its account. */
export const MAX_SHARE_VIEWERS = 10;
