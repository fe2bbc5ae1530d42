import type { Http2SecureServer, Http2Server, ServerHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';
import type { Clock } from '../async/clock.js';
import { END_MS } from '../https/bound-session.js';
import { watchClient } from './client-pings.js';

/** How long running calls may go on once the listener closes, ms. After that time, all calls that are left are cut. */
const DRAIN_MS = 5_000;

export interface ConnectionLimits {
  /** How long a connection may be open before its first call, ms. */
  firstCallMs: number;
  /**
   * How long a connection without calls is kept, ms. It is longer than the 15 minutes after which our own clients close such a connection.
   */
  idleMs: number;
  /** Time between two pings to a client that has calls, ms. One that responds to none is gone after three such times at most. */
  pingMs: number;
}

/**
 * The connections of a gRPC port. Connections that are not used are closed, and those whose client has vanished.
 *
 * A session that is to end waits for a write under way. That write never ends if the client reads nothing, so the socket of the session is
 * destroyed `END_MS` later.
 */
export class RpcConnections {
  readonly #server: Http2Server | Http2SecureServer;
  readonly #limits: ConnectionLimits;
  readonly #clock: Clock;
  readonly #sessions = new Set<ServerHttp2Session>();
  /** The sockets by the client's address and port, as a session gives only a stand-in for its socket. */
  readonly #sockets = new Map<string, Socket>();

  constructor(server: Http2Server | Http2SecureServer, limits: ConnectionLimits, clock: Clock) {
    this.#server = server;
    this.#limits = limits;
    this.#clock = clock;
    server.on('connection', (socket: Socket) => {
      const peer = peerOf(socket);
      this.#sockets.set(peer, socket);
      socket.once('close', () => this.#sockets.delete(peer));
    });
    server.on('session', (session) => {
      this.#sessions.add(session);
      session.once('close', () => this.#sessions.delete(session));
      // A connection that breaks off ends its own calls only.
      session.on('error', () => session.destroy());
      this.#closeWhenUnused(session);
    });
  }

  /** Lets running calls end for a while. Resolves when every connection has closed. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const cut = this.#clock.after(DRAIN_MS, () => {
        for (const session of this.#sessions) session.destroy();
        last = this.#clock.after(END_MS, () => {
          for (const socket of this.#sockets.values()) socket.destroy();
        });
      });
      let last: typeof cut | undefined;
      this.#server.close(() => {
        cut.cancel();
        last?.cancel();
        resolve();
      });
      for (const session of this.#sessions) session.close();
    });
  }

  #closeWhenUnused(session: ServerHttp2Session): void {
    const socket = this.#sockets.get(peerOf(session.socket));
    let calls = 0;
    const unused = this.#clock.after(this.#limits.firstCallMs, () => {
      session.destroy();
      socket?.destroy();
    });
    session.once('close', () => unused.cancel());
    session.on('stream', (stream) => {
      unused.cancel();
      calls++;
      stream.once('close', () => calls--);
    });
    watchClient(session, {
      clock: this.#clock,
      pingMs: this.#limits.pingMs,
      hasCalls: () => calls > 0,
      bytesRead: () => socket?.bytesRead ?? 0,
      onVanished: () => {
        session.destroy();
        socket?.destroy();
      },
    });
    session.setTimeout(this.#limits.idleMs, () => {
      // A connection that waits for a reply is in use. The end of the call begins the time anew.
      if (calls > 0) return;
      session.close();
      const ending = this.#clock.after(END_MS, () => socket?.destroy());
      socket?.once('close', () => ending.cancel());
    });
  }
}

function peerOf({ remoteAddress = '', remotePort = 0 }: Pick<Socket, 'remoteAddress' | 'remotePort'>): string {
  return `${remoteAddress} ${remotePort}`;
}
