/** Limits of events and timelines. */

/**
 * How long a finished job stays with its device before it is filed, ms. That is long enough to file many at a time, and short enough for
 * a busy device's document to stay small.
 */
export const FILE_AFTER_MS = 25;
/** How often events that the webhook service did not take are published again, ms. */
export const PUBLISH_AGAIN_MS = 5_000;
/**
 * How long after a start the events that the last process left are published, ms. The port must be open by then, as the webhook service
 * requests the keys that the events concern. The time is much shorter than PUBLISH_AGAIN_MS, so that even a service that always ends sooner
 * publishes something.
 */
export const PUBLISH_FIRST_MS = 250;
/** How many events one call records. */
export const RECORDED_AT_ONCE = 200;
/** How long the webhook service may take to take an event, ms: it responds in milliseconds, or is stuck. */
export const PUBLISH_TIMEOUT_MS = 10_000;
/** How often the crashes of devices that are gone are searched for, ms. */
export const CRASH_SWEEP_MS = 3_600_000;
/** How often expired entries of timelines are removed, ms. */
export const TIMELINE_SWEEP_MS = 60_000;
/** How often keys are looked for that stop working within a week, ms. */
export const KEY_EXPIRY_LOOK_MS = 60_000;
