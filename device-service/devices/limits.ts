/** Limits of devices and their phones. Limits that customers rely on are also in proto/. */

/**
 * How long a job may take in one process until it fails, ms; time in which the database is away does not count. The numbers are our
 * choice: several times what a slow real phone needs. A first boot of Android on a small machine takes 2 to 3 minutes.
 */
export const JOB_LIMIT_MS = {
  create: 600_000,
  start: 420_000,
  stop: 180_000,
  restart: 600_000,
  delete: 300_000,
  // The time is for 2 GiB at 20 MB/s, and for a slow phone's own work on it.
  install: 900_000,
  uninstall: 120_000,
  network: 120_000,
  // The time is for a modem that reconnects, and addresses that do not change at once.
  rotate: 180_000,
  // The time is for saving, checking and copying a full phone of 64 GiB at 150 MB/s; a restore boots it too.
  snapshot: 900_000,
  restore: 1_200_000,
  clone: 1_200_000,
  template: 1_200_000,
  // The time is for the copy (MOVE_COPY_MS), a stop before it and a start after it.
  move: 10_800_000,
  // The time is for the copy (UPGRADE_STEP_MS), two stops and three boots.
  upgrade: 10_800_000,
} as const;
/** How long the driver may take for one step of a job, ms. After that the phone is inspected, and the step begins again. */
export const STEP_MS = {
  inspect: 10_000,
  create: 300_000,
  start: 300_000,
  stop: 90_000,
  delete: 120_000,
  check: 600_000,
  restore: 600_000,
  clone: 600_000,
  arrive: 60_000,
} as const;
/** How long a host may take to fetch an image, ms. The time is for 20 GB at 50 Mbit/s; it is no part of the job's own time. */
export const PULL_MS = 3_600_000;
/** How often a job that fetches an image looks whether it was cancelled, ms. */
export const PULL_CHECK_MS = 1_000;
/** How long setting other conditions on a phone may take, ms. */
export const CONDITIONS_MS = 15_000;
/** How long copying a snapshot to the object store, or getting it from there, may take, ms: 64 GiB at 10 MB/s and the reading before. */
export const MAX_OBJECT_MS = 7_200_000;
/** How long the object store may take to remove an object, ms. */
export const OBJECT_CALL_MS = 30_000;
/** How often a host looks for snapshots that have no copy, ms. */
export const COPY_CHECK_MS = 60_000;
/** The pause before a snapshot whose copy failed is copied again, ms. */
export const COPY_RETRY_MS = 300_000;
/** Most snapshots that are copied before the list of those without a copy is read again. */
export const MAX_COPIES_A_ROUND = 20;
/** Pause before a job is tried again after an error, ms; doubled from error to error, up to the second number. */
export const RETRY_FIRST_MS = 200;
export const MAX_RETRY_MS = 5_000;
/** How many processes may end while they are at work on a job until the job is given up. A few deployments in a row are fewer. */
export const MAX_TAKEOVERS = 5;
/** How often charging the end of a run, or releasing a snapshot, may fail in a row until a device is changed without it. */
export const MAX_BOOKKEEPING_TRIES = 20;
/** Most entries of bookkeeping that a device keeps to be completed later; the log has all of them. */
export const MAX_PENDING_CHARGES = 20;
/** Longest pause between two tries of late bookkeeping, or of a job's end that the database refuses, ms. */
export const MAX_LATE_RETRY_MS = 600_000;
/** How often in a row a repair of a phone may fail until its device gets a problem. From then on each comparison tries it once. */
export const MAX_REPAIR_TRIES = 20;
/** How often the database may refuse the end of a failed job until the device gets a problem because of it. */
export const MAX_REFUSED_ENDS = 10;
/**
 * How many phones of a driver the service itself starts at the same time, as after a crash of their host. They share the memory and
 * processors of one machine, and a boot of Android takes about one processor. Starts that customers request do not wait.
 */
export const OWN_STARTS_AT_ONCE = 16;
/**
 * How many phones are inspected at the same time because the driver's list did not know their state. Each inspection may take its whole
 * time limit, on a process or machine that is in trouble already.
 */
export const UNKNOWN_INSPECTED_AT_ONCE = 16;
/** How often a host searches for accepted jobs without being woken, ms: the call that wakes it may have been lost. */
export const JOB_POLL_MS = 2_000;
/**
 * How long a phone that belongs to no device stays before it is removed, ms: long enough for the operator to notice the log's warnings.
 */
export const ORPHAN_GRACE_MS = 3_600_000;

/** How long a process holds its host's lease without renewing it, and how often it renews it, ms. */
export const HOST_LEASE_MS = 15_000;
export const HOST_BEAT_MS = 5_000;
/** How long a driver may take to measure the room for its phones, ms: less than the time between two renewals of the lease. */
export const MEASURE_MS = 4_500;
/** How long a host must be silent until other hosts fail its overdue jobs, ms: far above a deployment or a restart of the machine. */
export const HOST_GONE_MS = 600_000;

/**
 * How often the health of running phones is checked, ms. The number is our choice: a problem is reported within a minute, and 1,000
 * phones are 33 checks a second.
 */
export const HEALTH_CHECK_MS = 30_000;
/** How long a phone must have run for its end to count as an accident, after which it is started again, ms. */
export const STEADY_RUN_MS = 60_000;
/** How long a phone may take for a health check, ms. */
export const CHECK_TIMEOUT_MS = 5_000;
/**
 * How many phones are checked at the same time. Beside them, as many of the slow phones are checked: those whose check takes its whole
 * time.
 */
export const CHECKS_AT_ONCE = 8;
/**
 * Most slow phones in a round of checks. Slow phones did not respond at the last check, or their state is not known. Each takes
 * CHECK_TIMEOUT_MS. Together they must not delay the next round for longer than the pause between two rounds.
 */
export const MAX_SLOW_CHECKS = 40;
/** How many checks in a row must agree before a problem is reported, or is over. */
export const CHECKS_TO_BE_SURE = 2;
/** The percentage from which on a phone's storage counts as full: Android itself begins to refuse installs there. */
export const STORAGE_FULL_PERCENT = 95;
/** How often the room that phones take on their host's disk is measured, ms. For so long, an account can be over its quota unnoticed. */
export const STORAGE_MEASURE_MS = 60_000;
/**
 * How much more than its `disk_mb` a phone on a shared disk may take until it is stopped: a percentage, and at least so many MiB. The numbers
 * are our choice: blocks and files of the service count, too.
 */
export const OVERFULL_PERCENT = 10;
export const OVERFULL_SLACK_MB = 64;
/** How long after its start a phone that was too large before runs on, so that its owner can delete files, ms. */
export const OVERFULL_GRACE_MS = 900_000;
/** Free room on the disk of phones below which those that are too large are stopped at once, MiB: eight times what stays free. */
export const LOW_DISK_MB = 4_096;
/** How often the free room on the disk of phones is looked at, ms. At 500 MB/s, a phone writes 2.5 GB in this time. */
export const DISK_CHECK_MS = 5_000;
/** How often the service searches for devices without use, ms. */
export const IDLE_CHECK_MS = 10_000;
/** How often running devices are charged, ms. A device runs on for at most this time after its money is used up. */
export const METER_MS = 5_000;
/** Least time between two writes of a job's progress, ms. */
export const PROGRESS_MS = 250;

/** How long the copy of a phone to another host may take, ms: enough for 64 GiB at 10 MB/s. */
export const MOVE_COPY_MS = 7_200_000;
/** How long nothing may arrive of a phone that is being sent until that try ends, ms. */
export const MOVE_SILENT_MS = 60_000;
/** How many tries to copy a phone to another host may fail until it stays. */
export const MAX_MOVE_TRIES = 12;
/** How many phones a host that is drained moves at the same time. */
export const MOVES_AT_ONCE = 2;
/** How often a host checks whether it is to move its devices away, and whether files of moved phones are left, ms. */
export const MOVE_CHECK_MS = 5_000;
/** The pause between two rounds on a host that moves its devices away, ms. */
export const MOVE_PAUSE_MS = 500;
/** How long a host that moves its devices away leaves a device whose move it began, ms. */
export const MOVE_AGAIN_MS = 60_000;
/** Most reasons for devices that stay which the record of a host has. */
export const MAX_MOVE_PROBLEMS = 20;

/**
 * How long a step of an upgrade may take, ms. A copy reads the phone twice and the copy once: 64 GiB at 30 MB/s. The image was fetched
 * before, and is fetched again only where it was removed since.
 */
export const UPGRADE_STEP_MS = {
  survey: 90_000,
  copy: 7_200_000,
  image: 600_000,
  verify: 90_000,
  drop: 600_000,
  back: 600_000,
} as const;
/** How many tries of a step of an upgrade may fail until the phone goes back to its old image. */
export const MAX_UPGRADE_TRIES = 10;

/** How long connecting to a phone's adbd may take, including the check of its identity, ms. */
export const LINK_OPEN_MS = 5_000;
/** How long the phone's package manager may take for a command other than an install, ms: slow phones take seconds. */
export const PACKAGE_COMMAND_MS = 30_000;

/** Largest upload of an APK, 2 GiB. */
export const MAX_UPLOAD_BYTES = 2 * 1024 ** 3;
/** Uploads under way at the same time, of one account and of all. Each takes up to MAX_UPLOAD_BYTES on disk. */
export const UPLOADS_OF_ACCOUNT = 4;
export const UPLOADS_OF_ALL = 32;
/** Most apps of an account's library. */
export const MAX_LIBRARY_APPS = 500;
/** Most apps that a new device gets. The contract says so too. */
export const MAX_NEW_DEVICE_APPS = 20;
/** How long apps of libraries are kept without use, ms, unless the operator sets another time. */
export const DEFAULT_LIBRARY_KEPT_MS = 90 * 86_400_000;
/**
 * How long a file of the libraries stays after the last app and job that named it, ms. It is far longer than accepting a job takes, and short,
 * as the quota does not count the file any more.
 */
export const LIBRARY_GRACE_MS = 60_000;
/** How long fetching a file of the libraries from another host may take, ms: 2 GiB at 4 MB/s. */
export const LIBRARY_FETCH_MS = 600_000;
/** How long another host may send nothing of a file, ms. */
export const LIBRARY_SILENT_MS = 20_000;
/** How often fetching a file is tried, and the pause after the first try, ms; it is doubled from try to try: 15 s in all. */
export const LIBRARY_FETCH_TRIES = 6;
export const LIBRARY_FETCH_PAUSE_MS = 500;
/** Bytes of a file in one message between hosts. The contract allows 1 MiB. */
export const LIBRARY_PIECE_BYTES = 256 * 1024;
/** How often apps that nobody uses are removed, ms. */
export const LIBRARY_CHECK_MS = 3_600_000;
/** How many apps and files are read from the database at a time. */
export const LIBRARY_READ_AT_ONCE = 200;
/** How often the catalogue's folder is compared with its last reading, ms. */
export const CATALOGUE_FRESH_MS = 1_000;
/** Most files of the catalogue that are offered; further ones are left out, with a warning. */
export const MAX_CATALOGUE_APPS = 1_000;
/** Largest icon of the catalogue, bytes; larger ones are left out, as icons are kept in memory. */
export const MAX_ICON_BYTES = 256 * 1024;

/** Snapshots that a device may have. */
export const MAX_SNAPSHOTS = 100;
/** Templates that an account may have. */
export const MAX_TEMPLATES = 100;
/** How long a host may take to get the files of a template from another host, ms; it is no part of the job's own time. */
export const TEMPLATE_COPY_MS = 3_600_000;
/** How often in a row getting them may fail, at every host that has them, until the job fails. */
export const MAX_TEMPLATE_COPY_TRIES = 5;
/** The pause after the first of these tries, ms; doubled from try to try. All pauses are longer than a restart of a host's service. */
export const TEMPLATE_COPY_RETRY_MS = 1_000;
/** How long a template may be without its job until it counts as failed, ms: the job is accepted right after the document is written. */
export const TEMPLATE_JOB_GRACE_MS = 60_000;

/** How long a phone that has booted may take to show a picture, ms, and how often that is checked. */
export const SEE_BACK_MS = 60_000;
export const SEE_BACK_AGAIN_MS = 500;

/** How long connecting to an exit's proxy, and to a target through it, may take, ms: as long as browsers on phones allow. */
export const EXIT_CONNECT_MS = 10_000;
/**
 * How long POST /v1/network/check may take, ms (contract: within 10 s). A proxy that cannot be reached is reported after this whole time,
 * so that the time shows nothing about the cause.
 */
export const PROXY_CHECK_MS = 8_000;
/** How many checks of one account run at a time. The number is our choice, as each check holds a connection for seconds. */
export const PROXY_CHECKS_AT_ONCE = 8;
/** How long a phone may take to fetch the page that shows its address, ms. */
export const SEE_ADDRESS_MS = 12_000;
/** Pause between two attempts of a phone to fetch its address, ms, and how many attempts there are for a new exit. */
export const SEE_AGAIN_MS = 1_000;
export const SEE_TRIES = 4;
/** How long the operator's URL for a new address may take to respond, ms: modems reconnect in 5 to 30 s. */
export const REFRESH_URL_MS = 40_000;
/** Most bytes of a page that shows an address. */
export const ADDRESS_PAGE_BYTES = 16_384;

/**
 * How long a phone has no helpers after a customer's ADB client was last reported, ms. The comment of LendPhones in the contract says so.
 */
export const LEND_MS = 60_000;
/** Time limit for ending the helpers on phones, ms. The relay waits no longer than 3 s for a call. */
export const RELEASE_HELPERS_MS = 2_500;

/** How long a phone may be held for a copy of its files, ms. It is less than ORPHAN_GRACE_MS, so no sweep takes what a hold has saved. */
export const MAX_HOLD_MS = 600_000;

/** Pools that an account may have. */
export const MAX_POOLS = 50;
