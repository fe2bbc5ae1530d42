/** Numbers of the spec and the contract, and ours where they are silent, each with its source. */

/** Contract 1: lists take `limit` 1 to 200, default 100. */
export const DEFAULT_PAGE_ITEMS = 100;

/**
 * How long a worker has a job before another may take it, unless it renews, ms. Ours: long against a stalled event loop or a
 * database fail-over (seconds), short against a caller who waits for the job.
 */
export const LEASE_MS = 15_000;
/** How often a worker renews its lease, ms: four times within a lease. */
export const RENEW_MS = LEASE_MS / 4;
/** How often a worker looks for jobs of its host that nobody has, ms. Jobs accepted by this instance do not wait for it. */
export const JOB_POLL_MS = 500;
/**
 * How long a finished job stays with its device before it is filed, ms: long enough to file many at a time, short enough for a busy
 * device's document to stay small.
 */
export const FILE_AFTER_MS = 25;
/** How often events that the webhook service could not be told of are told again, ms. */
export const PUBLISH_AGAIN_MS = 5_000;
/**
 * How soon after a start what the last process left untold is told, ms. Not at once: the port must be open, as the webhook service asks
 * who is to be told. Much sooner than the above: a service that never lives that long would tell of nothing.
 */
export const PUBLISH_FIRST_MS = 250;
/** How long the webhook service may take to take an event, ms: it answers in milliseconds, or is stuck. */
export const PUBLISH_TIMEOUT_MS = 10_000;
/** How often running phones are looked at, ms. Ours: a problem is told within a minute, and 1,000 phones are 33 looks a second. */
export const HEALTH_CHECK_MS = 30_000;
/** How long a phone must have run for its end to be an accident, after which it is brought back, ms. */
export const STEADY_RUN_MS = 60_000;
/** How long a phone may take to answer a look, ms. */
export const CHECK_TIMEOUT_MS = 5_000;
/** How many phones are looked at at the same time. */
export const CHECKS_AT_ONCE = 8;
/** How many looks in a row must agree before a problem is told, or is over. */
export const LOOKS_TO_BE_SURE = 2;
/** From here on a phone's storage counts as full, percent used: Android itself begins to refuse installs about there. */
export const STORAGE_FULL_PERCENT = 95;
/** How often GET /v1/jobs/{id}?wait_s looks again for jobs that another instance runs, ms. Own jobs are told at once. */
export const WAIT_POLL_MS = 250;
/** Least time between two writes of a job's progress, ms. */
export const PROGRESS_MS = 250;

/** How often a host tells that it is alive and how much room it has, ms. */
export const HOST_BEAT_MS = 5_000;
/** A host not heard of for this long gets no new phones, ms: three beats. */
export const HOST_SILENT_MS = 15_000;

/** How long an authenticated caller is remembered in a service, ms (architecture: at most 1 s). */
export const CALLER_CACHE_MS = 1_000;
