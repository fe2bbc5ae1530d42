/** The numbers of the relay. Those of the spec's table "ADB relay" and of the wire contract say so. */
export interface RelayLimits {
  /** Spec: a fourth connection of a device is refused. */
  maxSessions: number;
  /** Spec: wrong codes on one connection, after which it is closed. */
  wrongCodesPerConnection: number;
  /** Spec: wrong codes within `wrongCodesWindowMs` over all connections of a device, after which its relay is turned off. */
  wrongCodesPerWindow: number;
  wrongCodesWindowMs: number;
  /** Spec: a connection without traffic is closed after this; a running shell or logcat is not idle. */
  idleMs: number;
  /** Spec: file transfers of one connection, both ways together. */
  transferBytes: number;
  /** Contract 7: a connection that has not logged in by then is closed. */
  loginMs: number;
  /** A client or a phone that has not said CNXN by then is dropped; adb itself waits 10 s. */
  greetingMs: number;
  /** Opening the connection to the phone. */
  connectMs: number;
  /** Streams open at a time on one connection; adb itself seldom has ten. */
  maxStreams: number;
  /** Longest service name in an OPEN, bytes: a shell command is in it. */
  maxServiceNameBytes: number;
  /** Bytes that wait to be sent to one side before the other is no longer read. */
  bufferBytes: number;
  /** Replies of our own that may wait beyond that before the client who asked for them is no longer read, bytes. */
  ownRepliesBytes: number;
  /** A side that takes nothing of what it has coming for so long is stuck: nobody could tell whether the other is still there, ms. */
  stalledMs: number;
  /** Refusals of one rule on one connection that are logged one by one; the rest are in the line at its end. */
  loggedRefusals: number;
  /** How long a connection that is closed in good order may take to send what is left, ms. */
  lingerMs: number;
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
  ownRepliesBytes: 128 * 1024,
  stalledMs: 2 * 60_000,
  loggedRefusals: 20,
  lingerMs: 2_000,
};

/** Spec: lifetime of an enabled relay when the caller names none, seconds. The most is in the proto file. */
export const DEFAULT_LIFETIME_S = 24 * 60 * 60;

/** How long the service remembers who a key stands for, ms (architecture: at most 1 s). */
export const CALLER_TTL_MS = 1_000;

/** How often an instance looks at its relays in the database, ms: what another instance changed holds here after this. */
export const TICK_MS = 1_000;

/** For how long an instance has a relay unless it renews, ms; renewed every third of it. */
export const LEASE_MS = 15_000;

/** How often the phones and keys behind live sessions are looked at, ms. */
export const WATCH_MS = 2_000;
