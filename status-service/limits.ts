/** The numbers of the status service. */

/** The time from the end of one round of checks to the beginning of the next, ms. Probe targets are tried at most once in five minutes. */
export const CHECK_INTERVAL_MS = 5 * 60_000;

/**
 * Where the status service is a process of its own: how long services that start with it may take to be reachable, ms. The first
 * round is after that time. An earlier round would be shown as failures until the next one, for five minutes.
 */
export const STARTED_TOGETHER_MS = 30_000;

/** How long one check may take, ms. */
export const CHECK_TIMEOUT_MS = 10_000;

/** The state is unknown after this time without a check, ms. It is the time of three rounds. */
export const UNOBSERVED_MS = 3 * CHECK_INTERVAL_MS;

/** Days that are shown, today included. */
export const DAYS_SHOWN = 90;

/** Days that are kept. More than are shown, so that a clock that was wrong for a while takes none of them away. */
export const DAYS_KEPT = 100;

/** Incidents that are kept, the newest ones. The days' figures do not depend on them. */
export const INCIDENTS_KEPT = 200;

/** How much of a probe target's response is read at most, bytes. Errors are far smaller. */
export const MAX_RESPONSE_BYTES = 64 * 1024;

/** How long caches may keep the page, s. */
export const CACHE_S = 60;

/** How long a rendered page is used for all requests, ms. */
export const RENDER_MS = 10_000;

/** Relays that are tried before the ADB gateway counts as failing. One may just have been turned off. */
export const RELAYS_TRIED = 3;
