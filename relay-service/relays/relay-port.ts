import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../../kit/log/log.js';

/** A TCP port of a relay. Its connections are refused until `onConnection` is called. */
export class RelayPort {
  readonly port: number;
  readonly #server: Server;
  #onConnection: (socket: Socket) => void = refuseConnection;

  private constructor(server: Server, port: number) {
    this.port = port;
    this.#server = server;
    server.on('connection', (socket) => {
      // A reset by the client must not end the process, at any time.
      socket.on('error', () => undefined);
      this.#onConnection(socket);
    });
  }

  /** Returns undefined when another program has the port. 0 picks a free one. */
  static async open(options: {
    host: string;
    port: number;
    bufferBytes: number;
    log: Log;
  }): Promise<RelayPort | undefined> {
    const { host, port, bufferBytes, log } = options;
    const server = createServer({ highWaterMark: bufferBytes, allowHalfOpen: false });
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host, port, exclusive: true }, resolve);
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
      throw error;
    }
    server.on('error', (error) => log.error({ err: error, port }, 'a relay port failed'));
    const bound = server.address();
    return new RelayPort(server, typeof bound === 'object' && bound ? bound.port : port);
  }

  onConnection(accept: (socket: Socket) => void): void {
    this.#onConnection = accept;
  }

  /** Frees the port at once; accepted connections belong to their sessions. */
  close(): void {
    this.#onConnection = refuseConnection;
    this.#server.close();
  }
}

/**
 * Resets a connection. After an orderly end adb would try again every 250 ms. After a reset, newer versions of adb wait longer, and this
 * service holds no memory for the connection.
 */
export function refuseConnection(socket: Socket): void {
  socket.resetAndDestroy();
}
