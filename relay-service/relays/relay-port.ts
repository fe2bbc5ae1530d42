import { createServer, type Server, type Socket } from 'node:net';
import type { Log } from '../../kit/log.js';

/** A TCP port of a relay. Until somebody takes its connections they are refused. */
export class RelayPort {
  readonly port: number;
  readonly #server: Server;
  #onConnection: (socket: Socket) => void = refuseConnection;

  private constructor(server: Server, port: number) {
    this.#server = server;
    this.port = port;
  }

  /** Answers undefined when another program has the port. 0 picks a free one. */
  static async open(options: {
    host: string;
    port: number;
    bufferBytes: number;
    log: Log;
  }): Promise<RelayPort | undefined> {
    const holder: { relayPort?: RelayPort } = {};
    const server = createServer({ highWaterMark: options.bufferBytes, allowHalfOpen: false }, (socket) => {
      // Whatever becomes of it, a reset of the client's is no news to the process.
      socket.on('error', () => undefined);
      (holder.relayPort ? holder.relayPort.#onConnection : refuseConnection)(socket);
    });
    try {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        server.listen({ host: options.host, port: options.port, exclusive: true }, resolve);
      });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
      throw error;
    }
    server.on('error', (error) => options.log.error({ err: error, port: options.port }, 'a relay port failed'));
    const bound = server.address();
    holder.relayPort = new RelayPort(server, typeof bound === 'object' && bound ? bound.port : options.port);
    return holder.relayPort;
  }

  onConnection(take: (socket: Socket) => void): void {
    this.#onConnection = take;
  }

  /** Frees the port at once; connections that were accepted are their sessions' business. */
  close(): void {
    this.#onConnection = refuseConnection;
    this.#server.close();
  }
}

/**
 * A reset, not an end: a client whose connection ends in good order tries again every 250 ms, newer ones are calmer after a reset;
 * and nothing of ours waits for it.
 */
export function refuseConnection(socket: Socket): void {
  socket.resetAndDestroy();
}
