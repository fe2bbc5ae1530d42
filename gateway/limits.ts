/** The edge's bounds. Tests pass in smaller ones. Those of requests are part of the contract. */
export interface EdgeLimits {
  /** Largest JSON body, bytes. */
  bodyMaxBytes: number;
  /** Bodies that are coming in at the same time from one account, over all its keys and sessions, or from a stranger's address, bytes. */
  bodiesOfAccountMaxBytes: number;
  /** Bodies that are coming in from all, bytes. */
  bodiesMaxBytes: number;
  /** Longest time for a JSON body to come in, ms. 1 MiB takes 27 s at 40 kB/s. */
  bodyTimeoutMs: number;
  /** Time from a request's headers to its response, ms: above the 60 s of wait_s and timeout_ms, with room for the rest. */
  callTimeoutMs: number;
  /** Largest body that is passed on as it comes (an APK), bytes; a form around the file comes on top. */
  uploadMaxBytes: number;
  /** Longest time for such a body, to the response, ms. 2 GiB take half an hour at 10 Mbit/s. */
  uploadTimeoutMs: number;
  /** Longest time in which nothing of it comes, ms. */
  uploadIdleMs: number;
  /** Longest time for a file that is sent as it comes, ms. */
  downloadTimeoutMs: number;
  /** How much of a refused body is taken in and dropped, bytes, before the connection is cut. */
  discardMaxBytes: number;
  /** How long a refused body is taken in, ms, before the connection is cut. */
  discardTimeoutMs: number;
  /** How long the connection then stays open without being read, ms, so that the client gets to read the response. */
  discardLingerMs: number;
  /** Largest request line and headers together, bytes; more is 431. */
  headersMaxBytes: number;
  /** Longest time for the headers to come in, ms. */
  headersTimeoutMs: number;
  /** Longest time for a whole request to come in, ms: as for the longest upload. Bodies have shorter times of their own. */
  requestTimeoutMs: number;
  /** How long an idle connection is kept, ms. Above the 60 s after which load balancers close it, so that they are first. */
  keepAliveTimeoutMs: number;
  /** How long nothing may move on a connection during a request, ms: a client that does not read its response. Above callTimeoutMs. */
  silenceMs: number;
  /** Connections at the most; further ones are dropped when they come. */
  connectionsMax: number;
  /**
   * Those of one address, or of one /64 in IPv6: an office of a hundred people with ten each. It does not hold behind a proxy
   * (BEHIND_PROXY), as all connections have its address then; the proxy bounds them.
   */
  connectionsOfAddressMax: number;
  /** Requests of an API key in a window of 60 s. */
  keyRequestsMax: number;
  /** Requests for a device, over all keys, in a window. */
  deviceRequestsMax: number;
  /** Requests of a panel session in a window: a person who clicks, and a page that polls. */
  sessionRequestsMax: number;
  /**
   * Requests of an account in a window, over all its keys and sessions: 30 keys at their limit. Ours: a fleet of which every phone has a
   * program of its own stays below it, and one account cannot take the whole edge by making keys.
   */
  accountRequestsMax: number;
  /** Requests of an account that are under way at the same time; a wait for a job is one for up to a minute. */
  requestsUnderWayMax: number;
  /** Requests in a window from an address without a known caller: far above honest mistakes. */
  strangerRequestsMax: number;
  /** WebSockets that are open at the same time. Each is a stream to its service, of which one connection carries 1,000. */
  socketsMax: number;
  /** Those of one caller. */
  socketsOfCallerMax: number;
  /** Those of one account, over all its keys and sessions. */
  socketsOfAccountMax: number;
  /** How long a client of a stream of events, or of a file that is sent as it comes, may take nothing of it, ms; then it is cut. */
  slowReaderMs: number;
  /** Largest message of a client over a WebSocket, bytes. 200 events of input take 20 KB. */
  socketMessageMaxBytes: number;
  /** How long connections without a request stay open once the listener closes, ms: requests sent before it arrive in that time. */
  drainGraceMs: number;
  /** How long running requests may go on then, ms; after it the response is 503. Below the 25 s that a shutdown may take. */
  drainTimeoutMs: number;
}

/** How long the edge remembers the identity of a key, ms; a revoked key may work here for that long. */
export const CALLER_TTL_MS = 5_000;

/** Requests in a window of 60 s of a key, for a device, and of a panel session. The operator may set the first two. */
export const RATES = { key: 60, device: 120, session: 600 };
/** How many keys at their limit use up that of their account. */
export const KEYS_OF_ACCOUNT_RATE = 30;

export const EDGE_LIMITS: EdgeLimits = {
  bodyMaxBytes: 1024 * 1024,
  bodiesOfAccountMaxBytes: 16 * 1024 * 1024,
  bodiesMaxBytes: 256 * 1024 * 1024,
  bodyTimeoutMs: 30_000,
  callTimeoutMs: 65_000,
  uploadMaxBytes: 2 * 1024 ** 3,
  uploadTimeoutMs: 3_600_000,
  uploadIdleMs: 30_000,
  downloadTimeoutMs: 3_600_000,
  discardMaxBytes: 16 * 1024 * 1024,
  discardLingerMs: 1_000,
  headersMaxBytes: 16 * 1024,
  headersTimeoutMs: 15_000,
  requestTimeoutMs: 3_600_000,
  discardTimeoutMs: 120_000,
  keepAliveTimeoutMs: 65_000,
  silenceMs: 120_000,
  connectionsMax: 10_000,
  connectionsOfAddressMax: 1_000,
  keyRequestsMax: RATES.key,
  deviceRequestsMax: RATES.device,
  sessionRequestsMax: RATES.session,
  accountRequestsMax: RATES.key * KEYS_OF_ACCOUNT_RATE,
  requestsUnderWayMax: 300,
  strangerRequestsMax: 6_000,
  socketsMax: 500,
  socketsOfCallerMax: 100,
  socketsOfAccountMax: 150,
  slowReaderMs: 30_000,
  socketMessageMaxBytes: 64 * 1024,
  drainGraceMs: 300,
  drainTimeoutMs: 20_000,
};
