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

/** How long a lease holds when its caller gives no time, s. */
export const LEASE_S = 900;
/** Calls of an account that may wait for a device at the same time. */
export const MAX_LEASE_WAITS = 100;
/** How long a call keeps its place in the queue after its process was killed, ms. */
export const LEASE_WAIT_ALIVE_MS = 6_000;
/** How often a call that waits looks for a device, ms. Ends of leases in the same process wake it. */
export const LEASE_WAIT_POLL_MS = 500;
/** Devices that one call considers. */
export const MAX_CANDIDATES = 200;
/** Devices that a lease chooses from while a host is silent, as many of them may be on it. */
export const MAX_FREE = 2_000;
/** Ready phones of a pool that one call considers, beside one for each call that came earlier. */
export const POOL_CANDIDATES = 10;
/** How often leases whose time is over are ended, and what is left of ended ones is done, ms. */
export const LEASE_WATCH_MS = 1_000;
/** How often leases are compared with the keys that have them, ms. */
export const LEASE_KEYS_MS = 5_000;
/** Leases that one run of the watch ends. The next run ends further ones. */
export const MAX_LEASES_A_RUN = 200;

/** How long a hand-over may take when its caller gives no time, s. */
export const HANDOVER_S = 600;
/** How often a call that waits for the end of a hand-over reads it, ms. Ends in the same process wake it. */
export const HANDOVER_POLL_MS = 1_000;
/** How often hand-overs whose time is over are ended, ms. */
export const HANDOVER_WATCH_MS = 1_000;
/** Hand-overs that one run of the watch ends. The next run ends further ones. */
export const MAX_HANDOVERS_A_RUN = 200;

/** Phones that a pool may have when its maker gives no number. */
export const POOL_PHONES = 50;
/** How often each pool is compared with its phones, ms. */
export const POOL_WATCH_MS = 1_000;
/** How often new phones of pools are checked, ms. */
export const POOL_CHECK_MS = 500;
/** How long a process works on a pool without renewing its lease of it, ms. */
export const POOL_LEASE_MS = 15_000;
/** How long the hosts that are alive are known without another look, ms. */
export const HOSTS_READ_MS = 1_000;
/** How long after its lease a phone of a pool is replaced, ms. It is less than the boot of a phone, and longer than a burst of leases. */
export const REPLACED_AFTER_MS = 1_500;
/** Phones of a pool that are begun in one comparison. The next one begins further ones. */
export const MAX_MADE_AT_ONCE = 10;
/** How long a phone of a pool may have a problem, or not become ready after its start, before it is replaced, ms. */
export const POOL_PATIENCE_MS = 120_000;
/** A phone of a pool that breaks before it was free for so long counts as one that could not be made, ms. */
export const POOL_STEADY_MS = 600_000;
/** The pause after a failed try to make a phone: it doubles from the first to the last, ms. */
export const POOL_RETRY_MS = { first: 5_000, last: 300_000 };
