/** Limits of groups and schedules. Limits that customers rely on are also in proto/. */

/** How often GET /v1/jobs/{id}?wait_s reads a job again when its host cannot be reached, ms. */
export const WAIT_POLL_MS = 1_000;

/** How long a process holds the lease of a group without renewing it, and how often it renews it, ms. */
export const GROUP_LEASE_MS = 15_000;
export const GROUP_BEAT_MS = 5_000;
/** How long a group may take, ms. The number is our choice: a night's work on 200 phones. */
export const GROUP_LIMIT_MS = 21_600_000;
/** Groups of an account that may run at the same time. */
export const MAX_GROUPS = 1_000;
/** How many devices a group works on at a time when its maker gives no number. */
export const GROUP_CONCURRENCY = 10;

/** Schedules that an account may have. */
export const MAX_SCHEDULES = 1_000;
/** How often the service reads the schedules that are due, ms. */
export const SCHEDULE_POLL_MS = 1_000;
/** How late a missed run may begin, ms. A run that would begin later is skipped. */
export const SCHEDULE_LATE_MS = 3_600_000;
/** How long after a run was claimed another process begins it again, where it has not begun by then, ms. */
export const SCHEDULE_STUCK_MS = 30_000;
