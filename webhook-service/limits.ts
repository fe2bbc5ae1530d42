/** Limits of this service, each with its reason. docs/webhooks.md lists those that customers may rely on. */
export interface WebhookLimits {
  /** The time in which a receiver must respond, ms. It includes connecting. */
  responseTimeoutMs: number;
  /** The times from the end of an attempt to the next attempt, ms. The first entry follows attempt 1. */
  retryDelaysMs: readonly number[];
  /** How much of a response is read, bytes. More is read than is kept, only so that the connection can be used again. */
  maxResponseBytes: number;
  /** How long the rest of a response may take once its status is known, ms. The outcome depends on the status alone. */
  drainResponseMs: number;
  /** How long an unused connection is kept, ms. The quickest common servers close unused connections after 2 s, so this is shorter. */
  keepAliveMs: number;
  /**
   * How long an instance holds a delivery before another instance may take it, ms. This covers an attempt's 10 s and some time for the
   * database. A lease is never renewed, because an attempt never takes longer.
   */
  leaseMs: number;
  /** The most attempts under way at one URL, per instance. It lets a burst through, and does not flood a receiver. */
  perReceiver: number;
  /**
   * The most attempts under way at a slow URL while more than half of all slots are taken. A URL is slow if its last attempt was slow, or
   * if it had no attempt yet.
   */
  perSlowReceiver: number;
  /** The most attempts under way at all URLs together, per instance. Each attempt has a socket and a body. */
  inAll: number;
  /** The longest time that a quick attempt takes, ms. */
  quickMs: number;
  /**
   * How many deliveries of one URL may be claimed before they have a slot, when the URL's last attempt was quick. Their turn comes within
   * milliseconds, and claiming them early saves a scan and a write. A delivery whose turn comes too late for its lease is given back.
   */
  aheadPerReceiver: number;
  /** How many due deliveries of one URL are held in memory, by id. The others wait in the database only. */
  waitingPerReceiver: number;
  /** Deliveries claimed by one write. */
  claimBatch: number;
  /** The longest time between two scans for due deliveries, ms. Scans find the deliveries that other instances left behind. */
  pollMs: number;
  /** The shortest time between two scans, ms. Retries are late by up to this time; more scans would cost more than they gain. */
  scanSpacingMs: number;
  /** How early a retry may be claimed, ms. It can then begin on time, because no query has to come first. */
  claimEarlyMs: number;
  /**
   * How far a scan overlaps the scan before it, ms. The overlap covers deliveries that other instances inserted meanwhile, and differences
   * between clocks.
   */
  scanOverlapMs: number;
  /** How often a scan covers all due deliveries, including those that were seen before, ms. */
  sweepMs: number;
  /** How long attempts under way may go on when the service closes, ms. */
  closeMs: number;
}

export const webhookLimits: WebhookLimits = {
  responseTimeoutMs: 10_000,
  retryDelaysMs: [10_000, 60_000],
  maxResponseBytes: 64 * 1024,
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
export const MAX_ATTEMPTS = 100;

/** How much of each response is kept, bytes: enough for the error of a receiver. Part of the contract. */
export const RESPONSE_KEPT_BYTES = 2_048;

/** How long the device service may take to name an event's receivers, ms. */
export const SUBSCRIBERS_TIMEOUT_MS = 5_000;

/**
 * How long events can be read again from streams, ms, and how many events of one account are kept. The oldest are removed first. Both are
 * part of the contract.
 */
export const EVENTS_KEPT_MS = 24 * 3_600_000;
export const MAX_EVENTS_OF_ACCOUNT = 100_000;
/** How often expired events are removed, ms. */
export const EVENTS_SWEEP_MS = 60_000;
/**
 * How often this instance looks for events that other instances have added, ms. One query serves all of its streams. Events of this
 * instance reach its streams at once.
 */
export const EVENTS_POLL_MS = 500;
/**
 * A stream that has had no event for this time sends a comment with its position, ms. Proxies cut silent connections after 60 s, so this is
 * shorter.
 */
export const STREAM_COMMENT_MS = 15_000;
