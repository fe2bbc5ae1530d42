/** The numbers of the relay. */
export interface RelayLimits {
  /** Connections of a device at a time; one more is refused. */
  maxSessions: number;
  /** Wrong codes on one connection, after which it is closed. */
  wrongCodesPerConnection: number;
  /** Wrong codes within `wrongCodesWindowMs` over all connections of a device, after which its relay is turned off. */
  wrongCodesPerWindow: number;
  wrongCodesWindowMs: number;
  /** A connection without traffic is closed after this; a running shell or logcat is not idle. */
  idleMs: number;
  /** File transfers of one connection, both ways together. */
  transferBytes: number;
  /** A connection that has not logged in by then is closed. */
  loginMs: number;
  /** A client or phone that has not completed the handshake by then is dropped; adb itself waits 10 s. */
  greetingMs: number;
  /** Time to open the connection to the phone. */
  connectMs: number;
  /** Streams open at a time on one connection; adb itself seldom has ten. */
  maxStreams: number;
  /** Longest service name in an OPEN, bytes: a shell command is in it. */
  maxServiceNameBytes: number;
  /** Bytes that wait to be sent to one side before the other is no longer read. */
  bufferBytes: number;
  /** Replies of the relay's own that a connection may have queued; the stream that wants more is closed. Bytes. */
  ownRepliesBytes: number;
  /** Packets of the relay's own that a phone may have queued before it is no longer read, bytes. */
  ownPhonePacketsBytes: number;
  /** A side that takes none of the data sent to it for so long ends the connection, ms. */
  stalledMs: number;
  /** Refusals of a connection that has not logged in, after which it is closed. */
  refusalsBeforeLogin: number;
  /** Log lines of one kind that the logged-in clients of a relay cause within LINES_WINDOW_MS; one line has the number of the others. */
  maxLines: number;
  /** How long a connection that is closed in order may take to send the rest, ms. */
  lingerMs: number;
  /** Bytes that are received and dropped during `lingerMs`; a connection that sends more is cut. */
  discardedBytes: number;
}

export const relayLimits: RelayLimits = {
  maxSessions: 3,
  wrongCodesPerConnection: 5,
  wrongCodesPerWindow: 20,
  wrongCodesWindowMs: 10 * 60_000,
  idleMs: 30 * 60_000,
  transferBytes: 2 * 1024 ** 3,
  loginMs: 60_000,
  greetingMs: 10_000,
  connectMs: 5_000,
  maxStreams: 256,
  maxServiceNameBytes: 64 * 1024,
  bufferBytes: 256 * 1024,
  ownRepliesBytes: 1024 * 1024,
  ownPhonePacketsBytes: 64 * 1024,
  stalledMs: 60_000,
  refusalsBeforeLogin: 1_000,
  maxLines: 20,
  lingerMs: 2_000,
  discardedBytes: 256 * 1024,
};

/**
 * Work of all connections of an instance in one turn of the event loop, as packet-scanner.ts counts it: a few milliseconds. The rest
 * waits for the next turn, in which other connections and calls come first.
 */
export const WORK_PER_TURN = 4_000;

/** Share of a connection in the work of a turn, however many connections have work to do. */
export const MIN_WORK_PER_TURN = 100;

/** Lifetime of an enabled relay when the caller names none, seconds. The longest is in the proto file. */
export const DEFAULT_LIFETIME_S = 24 * 60 * 60;

/** How often an instance compares its relays with the database, ms: a change made by another instance takes effect after this. */
export const TICK_MS = 1_000;

/** For how long an instance has a relay unless it renews its lease, ms; renewed every third of it. */
export const LEASE_MS = 15_000;

/** How long the device service may take for one call, ms: it responds in milliseconds, or is stuck. */
export const DEVICE_CALL_MS = 3_000;

/** How often the devices, keys and phones behind the relays are checked, ms. A lease of another caller ends sessions within 2 s. */
export const WATCH_MS = 1_000;

/** How often the keys of clients that came through the API are checked, ms: a revoked key ends its connections within a second. */
export const TUNNEL_WATCH_MS = 500;

/** A phone that a logged-in session leads to is lent again this often. It is lent for 60 s. */
export const LEND_AGAIN_MS = 20_000;

/** How long a relay counts log lines of a kind before it may write more of them, ms. */
export const LINES_WINDOW_MS = 60_000;

/** The same failure is logged once in this time, ms. */
export const SAME_FAILURE_MS = 60_000;

/** A phone that cannot be reached is reported once in this time, ms: adb reconnects four times a second. */
export const REPORT_PHONE_MS = 5_000;
