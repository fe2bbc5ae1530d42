import type { Duplex } from 'node:stream';

/** One side of a session: a TCP connection, or a client's tunnel through the API. A `Socket` is one. */
export interface PeerStream extends Duplex {
  /** Bytes that came from the peer. */
  readonly bytesRead: number;
  /** The place of a TCP connection. Absent: the stream is none, or is closed. */
  readonly localPort?: number | undefined;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  setNoDelay(noDelay: boolean): this;
  setKeepAlive(isOn: boolean, afterMs: number): this;
  /** Ends the connection at once. The peer of a TCP connection sees a reset. */
  resetAndDestroy(): this;
}
