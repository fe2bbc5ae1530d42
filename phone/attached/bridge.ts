import net from 'node:net';
import type { Log } from '../../kit/log/log.js';
import type { PhoneWay } from './way/phone-way.js';

/** Most connections of a bridge, of the order of adbd's own limit. Each connection costs two sockets. */
const MAX_CONNECTIONS = 64;

/** Keep-alive closes the connection of a client that vanished without an end, a little more than a minute later. */
const SOCKET_OPTIONS = { noDelay: true, highWaterMark: 256 * 1024, keepAlive: true, keepAliveInitialDelay: 60_000 };

/**
 * A port of this host on which the services reach an attached phone with plain ADB. Keys never leave the host, and phones behind an adb
 * server look like any other. The bridge serves only while the phone that belongs to it is at the other end.
 */
export class Bridge {
  readonly #way: () => PhoneWay | undefined;
  readonly #log: Log;
  readonly #connections = new Set<net.Socket>();
  #server: net.Server | undefined;

  /** `way` returns undefined while connections are refused. */
  constructor(options: { way: () => PhoneWay | undefined; log: Log }) {
    this.#way = options.way;
    this.#log = options.log;
  }

  /** The port on which the bridge listens; undefined while it is closed. */
  get port(): number | undefined {
    const address = this.#server?.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  }

  /** Opens the bridge, on `port` if that is free, else on another one. A bridge that is open already stays as it is. Returns the port. */
  async open(host: string, port = 0): Promise<number> {
    if (this.port !== undefined) return this.port;
    const server = net.createServer(SOCKET_OPTIONS, (socket) => this.#accept(socket));
    try {
      await listen(server, host, port);
    } catch (error) {
      if (port === 0 || (error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      await listen(server, host, 0);
    }
    server.on('error', (error) => this.#log.error({ err: error }, 'a bridge to a phone failed'));
    this.#server = server;
    return (server.address() as net.AddressInfo).port;
  }

  /** Cuts every connection. New connections are accepted as long as `way` returns a way. */
  drop(): void {
    for (const socket of this.#connections) socket.destroy();
  }

  close(): void {
    this.#server?.close();
    this.#server = undefined;
    this.drop();
  }

  #accept(socket: net.Socket): void {
    socket.on('error', () => undefined); // `close` follows
    const way = this.#way();
    if (way === undefined || this.#connections.size >= MAX_CONNECTIONS) {
      socket.resetAndDestroy();
      return;
    }
    this.#connections.add(socket);
    socket.once('close', () => this.#connections.delete(socket));
    way.serve(socket).catch((error: unknown) => {
      this.#log.debug({ err: error }, 'an ADB connection to an attached phone ended');
      socket.destroy();
    });
  }
}

function listen(server: net.Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
