/** Limits of this service, each with its reason. docs/webhooks.md lists those that customers may rely on. */
export interface WebhookLimits {
  /** How long a receiver has to respond, connecting included, ms. */
  responseTimeoutMs: number;
  /** From the end of an attempt to the next one, ms: the first entry follows attempt 1. */
  retryDelaysMs: readonly number[];
  /** How much of a response is read, bytes; beyond what is kept only so that its connection can be used again. */
  responseMaxBytes: number;
  /** How long the rest of a response may take once its status is known, ms. The status has decided by then. */
  drainResponseMs: number;
  /** How long an unused connection is kept, ms: below the 2 s after which the quickest common servers close theirs. */
  keepAliveMs: number;
  /**
   * How long an instance has a delivery before another may take it, ms: an attempt's 10 s and some for the database. There is no
   * renewal: an attempt never takes longer.
   */
  leaseMs: number;
  /** Attempts under way at one URL, per instance: a burst gets through, and a receiver is not flooded. */
  perReceiver: number;
  /** The same bound for a URL whose last attempt was slow, or that has had no attempt, while more than half of all slots are taken. */
  perSlowReceiver: number;
  /** Attempts under way at all, per instance; a socket and a body each. */
  inAll: number;
  /** An attempt that takes no longer was quick, ms. */
  quickMs: number;
  /**
   * Deliveries of one URL that may be written as claimed before they have a slot, when its last attempt was quick: their turn comes
   * within milliseconds, and a scan and a claim are saved. One whose turn comes too late for its lease is given back.
   */
  aheadPerReceiver: number;
  /** Due deliveries of one URL that are known in memory, by id; the rest wait in the database only. */
  waitingPerReceiver: number;
  /** Deliveries claimed by one write. */
  claimBatch: number;
  /** Longest time between two scans for due deliveries, ms: finds those that other instances left behind. */
  pollMs: number;
  /** Least time between two scans, ms. Retries are late by up to this; more scans would cost more than they gain. */
  scanSpacingMs: number;
  /** How long before its time a retry may be claimed, ms, so that it begins on time and not after a query. */
  claimEarlyMs: number;
  /** How far a scan overlaps the one before, ms: for deliveries that other instances inserted meanwhile, and their clocks. */
  scanOverlapMs: number;
  /** How often a scan covers everything due, also deliveries that were seen before, ms. */
  sweepMs: number;
  /** How long attempts under way may go on when the service closes, ms. */
  closeMs: number;
}

export const webhookLimits: WebhookLimits = {
  responseTimeoutMs: 10_000,
  retryDelaysMs: [10_000, 60_000],
  responseMaxBytes: 64 * 1024,
  drainResponseMs: 1_000,
  keepAliveMs: 1_800,
  leaseMs: 15_000,
  perReceiver: 16,
  perSlowReceiver: 2,
  inAll: 2_048,
  quickMs: 500,
  aheadPerReceiver: 64,
  waitingPerReceiver: 256,
  claimBatch: 256,
  pollMs: 1_000,
  scanSpacingMs: 20,
  claimEarlyMs: 300,
  scanOverlapMs: 1_000,
  sweepMs: 10_000,
  closeMs: 10_500,
};

/** How long deliveries can be listed, days. */
export const KEPT_DAYS = 30;

/** Attempts that a delivery may have, redeliveries included: all are kept with it. Part of the contract. */
export const ATTEMPTS_MOST = 100;

/** How much of each response is kept, bytes: enough for the error of a receiver. Part of the contract. */
export const RESPONSE_KEPT_BYTES = 2_048;

/** How long the device service may take to name an event's receivers, ms. */
export const SUBSCRIBERS_TIMEOUT_MS = 5_000;

/** How long events can be read again from streams, ms, and how many of an account, the oldest going first. Part of the contract. */
export const EVENTS_KEPT_MS = 24 * 3_600_000;
export const EVENTS_OF_ACCOUNT_MOST = 100_000;
/** How often expired events are removed, ms. */
export const EVENTS_SWEEP_MS = 60_000;
/** How often streams find the events that other instances have added, ms; one query for all of them. Those of this one come at once. */
export const EVENTS_POLL_MS = 500;
/** A stream without an event for so long says where it is, ms. Below the 60 s after which proxies cut silent connections. */
export const STREAM_COMMENT_MS = 15_000;
