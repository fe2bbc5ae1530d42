/** Limits of the device service. Those that customers rely on are also in proto/. */

/** Items of a page when the request has no `limit`. */
export const DEFAULT_PAGE_ITEMS = 100;

/**
 * How long a job may take in one process until it fails, ms; time in which the database is away does not count. Ours: several times
 * the time of a slow real phone (a first boot of Android on a small machine: 2 to 3 minutes).
 */
export const JOB_LIMIT_MS = {
  create: 600_000,
  start: 420_000,
  stop: 180_000,
  restart: 600_000,
  delete: 300_000,
  // 2 GiB at 20 MB/s and a slow phone's own work on it.
  install: 900_000,
  uninstall: 120_000,
  network: 120_000,
  // A modem that reconnects, and addresses that do not change at once.
  rotate: 180_000,
  // Saving, checking and copying a full phone of 64 GiB at 150 MB/s; a restore boots it too.
  snapshot: 900_000,
  restore: 1_200_000,
  clone: 1_200_000,
} as const;
/** How long the driver may take for one step of a job until the phone is inspected and the step begun again, ms. */
export const STEP_MS = {
  inspect: 10_000,
  create: 300_000,
  start: 300_000,
  stop: 90_000,
  delete: 120_000,
  check: 600_000,
  restore: 600_000,
  clone: 600_000,
} as const;
/** How long a phone may take to see other conditions, ms. */
export const CONDITIONS_MS = 15_000;
/** Pause before a job is tried again after an error, ms; doubled from error to error, up to the second number. */
export const RETRY_FIRST_MS = 200;
export const RETRY_MOST_MS = 5_000;
/** The same after an error of the database: a read each time, so that customers hardly wait once it is back. */
export const DATABASE_RETRY_MOST_MS = 1_000;
/** How many processes may end while they are at work on a job until it is given up: more than an unlucky series of deployments. */
export const MOST_TAKEOVERS = 5;
/** How often charging the end of a run, or letting go of a snapshot, may fail in a row until a device is changed without it. */
export const MOST_BOOKKEEPING_TRIES = 20;
/** Most accounts of a device that are kept to be completed later; the log has all of them. */
export const MOST_UNBOOKED = 20;
/** Longest pause between two tries of an account that is late, or of a job's end that the database refuses, ms. */
export const LATE_RETRY_MOST_MS = 600_000;
/** How often in a row a phone may fail to be repaired until its device gets a problem; from then on each comparison tries it once. */
export const MOST_REPAIR_TRIES = 20;
/** How often the database may refuse the end of a failed job until the device gets a problem for it. */
export const MOST_REFUSED_ENDS = 10;
/**
 * How many phones of a driver the service starts at the same time by itself, as after a crash of their host: memory and processors are those
 * of one machine, and a boot of Android takes about one processor. Starts that customers request do not wait.
 */
export const OWN_STARTS_AT_ONCE = 16;
/**
 * How many phones whose state a list could not find out are inspected at the same time: each one may wait for the whole time limit of an
 * inspection, on a process or machine that is in trouble already.
 */
export const UNKNOWN_INSPECTED_AT_ONCE = 16;
/** How often all phones of a host are compared with the database, ms. Known changes are handled at once. */
export const SWEEP_MS = 30_000;
/** How often a host searches for accepted jobs without having been woken, ms: the call may have been lost. */
export const JOB_POLL_MS = 2_000;
/** How long a phone that belongs to no device may stay before it is removed, ms: long enough to notice the log's warnings. */
export const ORPHAN_GRACE_MS = 3_600_000;

/** How long a host's process has its lease unless it renews it, and how often it does, ms. */
export const HOST_LEASE_MS = 15_000;
export const HOST_BEAT_MS = 5_000;
/** How long a host must be silent until other hosts fail its overdue jobs, ms: far above a deployment or a restart of the machine. */
export const HOST_GONE_MS = 600_000;

/**
 * How long a finished job stays with its device before it is filed, ms: long enough to file many at a time, short enough for a busy
 * device's document to stay small.
 */
export const FILE_AFTER_MS = 25;
/** How often events that the webhook service did not take are published again, ms. */
export const PUBLISH_AGAIN_MS = 5_000;
/**
 * How soon after a start the events that the last process left are published, ms. Not at once: the port must be open, as the webhook
 * service requests the keys concerned. Much sooner than the above: a service that never lives that long would publish nothing.
 */
export const PUBLISH_FIRST_MS = 250;
/** New states that are published by one call. */
export const RECORDED_AT_ONCE = 200;
/** How long the webhook service may take to take an event, ms: it responds in milliseconds, or is stuck. */
export const PUBLISH_TIMEOUT_MS = 10_000;
/**
 * How often the health of running phones is checked, ms. Ours: a problem is reported within a minute, and 1,000 phones are 33 checks a
 * second.
 */
export const HEALTH_CHECK_MS = 30_000;
/** How long a phone must have run for its end to be an accident, after which it is brought back, ms. */
export const STEADY_RUN_MS = 60_000;
/** How long a phone may take for a health check, ms. */
export const CHECK_TIMEOUT_MS = 5_000;
/** How many phones are checked at the same time, and of those whose check takes its whole time again as many. */
export const CHECKS_AT_ONCE = 8;
/**
 * Most phones in a round of checks that did not respond at the last one, or whose state is not known: each takes CHECK_TIMEOUT_MS, and
 * together they must not hold up the next round for longer than the pause between two rounds.
 */
export const SLOW_CHECKS_MOST = 40;
/** How many checks in a row must agree before a problem is reported, or is over. */
export const CHECKS_TO_BE_SURE = 2;
/** From here on a phone's storage counts as full, percent used: Android itself begins to refuse installs about there. */
export const STORAGE_FULL_PERCENT = 95;
/** How often the room that phones take on their host's disk is measured, ms: so long an account can be over its quota unnoticed. */
export const STORAGE_MEASURE_MS = 60_000;
/** How often entries of timelines whose time is over are removed, ms. */
export const TIMELINE_SWEEP_MS = 60_000;
/** How often devices without use are looked for, ms. */
export const IDLE_CHECK_MS = 10_000;
/** How often running devices are charged, ms: for so long at the most a device runs on after its money is used up. */
export const METER_MS = 5_000;
/** How often GET /v1/jobs/{id}?wait_s reads a job again whose host cannot be reached, ms. */
export const WAIT_POLL_MS = 1_000;
/** Least time between two writes of a job's progress, ms. */
export const PROGRESS_MS = 250;

/** How long connecting to a phone's adbd may take, its identity included, ms. */
export const LINK_OPEN_MS = 5_000;
/** How long the phone's package manager may take for a command other than an install, ms: slow phones take seconds. */
export const PACKAGE_COMMAND_MS = 30_000;

/** Largest upload of an APK, 2 GiB. */
export const UPLOAD_MAX_BYTES = 2 * 1024 ** 3;
/** Uploads under way at the same time, of one account and of all: each takes up to the above on disk. */
export const UPLOADS_OF_ACCOUNT = 4;
export const UPLOADS_OF_ALL = 32;
/** How often the catalogue's folder is compared with its last reading, ms. */
export const CATALOGUE_FRESH_MS = 1_000;
/** Files of the catalogue that are offered; further ones are left out, with a warning. */
export const CATALOGUE_MOST_APPS = 1_000;
/** An icon of the catalogue that is larger is left out, bytes: icons are kept in memory. */
export const ICON_MAX_BYTES = 256 * 1024;

/** How long a group belongs to the process at work on it unless it renews that, and how often it does, ms. */
export const GROUP_LEASE_MS = 15_000;
export const GROUP_BEAT_MS = 5_000;
/** How long a group may take, ms. Ours: a night's work on 200 phones. */
export const GROUP_LIMIT_MS = 21_600_000;
/** Groups of an account that may run at the same time. */
export const GROUPS_MOST = 1_000;
/** On how many devices at a time a group works unless it is given. */
export const GROUP_CONCURRENCY = 10;

/** Keys that an account may have; one more is refused. Ours: each has requests of its own a minute. */
export const KEYS_MOST = 100;
/** Keys of an account that may have a webhook: an event goes to each of them, up to three times. */
export const WEBHOOKS_MOST = 20;
/** Sessions that an account may have; one more ends the oldest. */
export const SESSIONS_MOST = 50;
/** A session ends when it has not been used for so long, seconds: 30 days. */
export const SESSION_IDLE_S = 30 * 86_400;
/** A session ends so long after it began, however much it is used, seconds: 90 days. */
export const SESSION_LIFETIME_S = 90 * 86_400;

/** Snapshots that a device may have. */
export const SNAPSHOTS_MOST = 100;
/** How long a phone that has booted may take to show a picture, ms, and how often it is checked. */
export const SEE_BACK_MS = 60_000;
export const SEE_BACK_AGAIN_MS = 500;

/** Shares of a device whose time is not over. Ours: a link for each person of a team. */
export const SHARES_MOST = 20;
/** How long a share works unless it is given, seconds. */
export const SHARE_LIFETIME_S = 86_400;
/** Viewers by one share at the same time: a link that was passed on must not take the sockets of its account. */
export const SHARE_VIEWERS_MOST = 10;

/** Labels that a device, key or group may have. */
export const LABELS_MOST = 16;

/** Schedules that an account may have. */
export const SCHEDULES_MOST = 1_000;
/** How often the schedules that are due are read, ms. */
export const SCHEDULE_POLL_MS = 1_000;
/** How late a missed run may begin, ms. Later it is skipped. */
export const SCHEDULE_LATE_MS = 3_600_000;
/** How long after it was claimed a run is begun again by another process, ms. */
export const SCHEDULE_STUCK_MS = 30_000;

/** How long reaching an exit's proxy, and a target through it, may take, ms: as browsers on phones do. */
export const EXIT_CONNECT_MS = 10_000;
/**
 * How long POST /v1/network/check may take, ms (contract: within 10 s), and when it responds about every proxy that was not reached.
 */
export const PROXY_CHECK_MS = 8_000;
/** How many checks of one account run at a time. Ours: each holds a connection for seconds. */
export const PROXY_CHECKS_AT_ONCE = 8;
/** How long a phone may take to fetch the page that shows its address, ms. */
export const SEE_ADDRESS_MS = 12_000;
/** Pause between two attempts of a phone to fetch its address, ms, and how many attempts a new exit gets. */
export const SEE_AGAIN_MS = 1_000;
export const SEE_TRIES = 4;
/** How long the operator's URL for a new address may take to respond, ms: modems reconnect in 5 to 30 s. */
export const REFRESH_URL_MS = 40_000;
/** Bytes of a page that shows an address. */
export const ADDRESS_PAGE_BYTES = 16_384;

/** How long a phone stays without helpers after an ADB client of a customer's was last reported. As LendPhones says. */
export const LEND_MS = 60_000;
/** Time for ending the helpers on phones. The relay waits no longer than 3 s for a call. */
export const RELEASE_HELPERS_MS = 2_500;
