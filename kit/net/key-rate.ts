/**
 * Requests of an API key in a minute, where the operator sets no other number (KEY_REQUESTS_PER_MINUTE). The edge counts by it, and the
 * device service lets nobody give a key more.
 */
export const KEY_RATE = 60;
export const KEY_RATE_BOUNDS = { min: 1, max: 1_000_000 };
