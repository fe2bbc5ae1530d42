/** Limits that several modules of the device service share. */

/** Items of a page when the request has no `limit`. */
export const DEFAULT_PAGE_ITEMS = 100;

/**
 * Longest pause before work is tried again after an error of the database, ms. A retry costs one read, and customers hardly wait once the
 * database is back.
 */
export const MAX_DATABASE_RETRY_MS = 1_000;
/** How often all phones of a host are compared with the database, ms. Known changes are handled at once. */
export const SWEEP_MS = 30_000;

/** Labels that a device, key or group may have. */
export const MAX_LABELS = 16;
