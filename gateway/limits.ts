import { KEY_RATE } from '../kit/net/key-rate.js';
/** The edge's bounds. Tests pass in smaller ones. The bounds of requests are part of the contract. */
export interface EdgeLimits {
  /** Largest JSON body, bytes. */
  maxBodyBytes: number;
  /**
   * Most bytes of bodies that are coming in at the same time from one account, or from an anonymous client's address. All keys and sessions of an
   * account count together.
   */
  maxBodiesOfAccountBytes: number;
  /** Most bytes of bodies that are coming in at the same time from all callers. */
  maxBodiesBytes: number;
  /** Longest time for a JSON body to come in, ms; 1 MiB takes 27 s at 40 kB/s. */
  bodyTimeoutMs: number;
  /**
   * Longest time from a request's headers to its response, ms. It is longer than the 60 s that wait_s and timeout_ms allow, so that the
   * response still arrives.
   */
  callTimeoutMs: number;
  /** Largest body that is streamed on as it comes in (an APK), bytes. A multipart form may be larger, by what it adds around the file. */
  maxUploadBytes: number;
  /** Longest time from the beginning of such a body to the response, ms; 2 GiB take half an hour at 10 Mbit/s. */
  uploadTimeoutMs: number;
  /** Longest time in which no bytes of such a body come, ms. */
  uploadIdleMs: number;
  /** Longest time for a file that is sent as it comes, ms. */
  downloadTimeoutMs: number;
  /** How many bytes of a refused body are received and dropped before the connection is cut. */
  maxDiscardBytes: number;
  /** How long a refusal waits for a body that is coming in, ms. */
  discardWaitMs: number;
  /** How long a refusal waits for the first bytes of a body, ms. A client that awaits 100 Continue sends none. */
  discardBeginMs: number;
  /** How long a refusal then waits for further bytes, ms. */
  discardStallMs: number;
  /** How long a refused body is received, ms, before the connection is cut. */
  discardTimeoutMs: number;
  /** How long the connection then stays open without being read, ms, so that the client can read the response. */
  discardLingerMs: number;
  /** Largest request line and headers together, bytes; a larger one is refused with 431. */
  maxHeadersBytes: number;
  /** Longest time for the headers to come in, ms. */
  headersTimeoutMs: number;
  /** Longest time for a whole request to come in, ms. It equals uploadTimeoutMs; other bodies have shorter limits of their own. */
  requestTimeoutMs: number;
  /**
   * How long an idle connection stays open, ms. Load balancers close theirs after 60 s. The time here is longer, so that they close first.
   */
  keepAliveTimeoutMs: number;
  /**
   * How long no bytes may move on a connection during a request, ms, as when a client does not read its response. It is longer than
   * callTimeoutMs.
   */
  silenceMs: number;
  /** Most connections; a further one is closed as soon as it opens. */
  maxConnections: number;
  /**
   * Most connections of one address, or of one /64 in IPv6: enough for an office of a hundred people with ten each. Behind a proxy
   * (BEHIND_PROXY) all connections have the address of the proxy. The bound then does not apply, and the proxy has to bound them.
   */
  maxConnectionsOfAddress: number;
  /** Requests of an API key in a window of 60 s. */
  maxKeyRequests: number;
  /** Requests for a device, over all keys, in a window. */
  maxDeviceRequests: number;
  /** Requests of a panel session in a window: enough for a person who clicks, and a page that polls. */
  maxSessionRequests: number;
  /**
   * Requests of an account in a window, over all its keys and sessions: 30 keys at their limit. The number is our choice. A fleet with
   * one program for each phone stays below it, and one account cannot take the whole edge by making keys.
   */
  maxAccountRequests: number;
  /** Requests of an account that are under way at the same time. A wait for a job counts as one for up to a minute. */
  maxRequestsUnderWay: number;
  /** Requests in a window from an address without a known caller. The bound is far above the number of honest mistakes. */
  maxAnonymousRequests: number;
  /** WebSockets that are open at the same time. Each is a stream to its service, and one connection carries 1,000 streams. */
  maxSockets: number;
  /** WebSockets of one caller. */
  maxSocketsOfCaller: number;
  /** WebSockets of one account, over all its keys and sessions. */
  maxSocketsOfAccount: number;
  /** How long a client of a stream of events may accept no bytes, ms. Then it is cut off. */
  slowReaderMs: number;
  /**
   * The same for a client of a file. It is longer, as Linux reports room only once a third of a socket's buffer is free. A client that
   * reads 40 KB/s makes a write wait for 35 s (measured, with a buffer of 4 MiB).
   */
  slowDownloadMs: number;
  /** Largest message of a client over a WebSocket, bytes; 200 events of input take 20 KB. */
  maxSocketMessageBytes: number;
  /** Largest message of a client over a WebSocket of bytes: the largest packet of ADB, 1 MiB and its header. */
  maxSocketPieceBytes: number;
  /** How long new connections are served once the listener begins to close, ms; requests after that are refused. */
  drainAcceptMs: number;
  /**
   * How long connections without a request stay open once the listener closes, ms. Requests that were sent before arrive in that time.
   */
  drainGraceMs: number;
  /**
   * How long running requests may go on after the listener begins to close, ms; then they get 503. It is shorter than the 25 s that a
   * shutdown may take.
   */
  drainTimeoutMs: number;
}

/** How long the edge remembers the identity of a key, ms. A revoked key may work here for that long. */
export const CALLER_TTL_MS = 5_000;

/** Requests in a window of 60 s: of a key, for a device, and of a panel session. The operator may set the first two. */
export const RATES = { key: KEY_RATE, device: 120, session: 600 };
/** How many keys at their limit use up the limit of their account. */
export const KEYS_OF_ACCOUNT_RATE = 30;

export const EDGE_LIMITS: EdgeLimits = {
  maxBodyBytes: 1024 * 1024,
  maxBodiesOfAccountBytes: 16 * 1024 * 1024,
  maxBodiesBytes: 256 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  callTimeoutMs: 65_000,
  maxUploadBytes: 2 * 1024 ** 3,
  uploadTimeoutMs: 3_600_000,
  uploadIdleMs: 30_000,
  downloadTimeoutMs: 3_600_000,
  maxDiscardBytes: 32 * 1024 * 1024,
  discardWaitMs: 10_000,
  discardBeginMs: 100,
  discardStallMs: 2_000,
  discardLingerMs: 1_000,
  maxHeadersBytes: 16 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 3_600_000,
  discardTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  silenceMs: 120_000,
  maxConnections: 10_000,
  maxConnectionsOfAddress: 1_000,
  maxKeyRequests: RATES.key,
  maxDeviceRequests: RATES.device,
  maxSessionRequests: RATES.session,
  maxAccountRequests: RATES.key * KEYS_OF_ACCOUNT_RATE,
  maxRequestsUnderWay: 300,
  maxAnonymousRequests: 6_000,
  maxSockets: 500,
  maxSocketsOfCaller: 100,
  maxSocketsOfAccount: 150,
  slowReaderMs: 30_000,
  slowDownloadMs: 120_000,
  maxSocketMessageBytes: 64 * 1024,
  maxSocketPieceBytes: 1024 * 1024 + 24,
  drainAcceptMs: 300,
  drainGraceMs: 300,
  drainTimeoutMs: 20_000,
};
