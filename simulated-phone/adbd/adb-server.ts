import net from 'node:net';
import type { Log } from '../../kit/log/log.js';
import type { Faults } from '../system/system.js';
import { AdbConnection, type AdbHost } from '../../phone/adb/device/adb-connection.js';

/** The listening side of adbd: plain ADB over TCP, for a bounded number of clients. */
export class AdbServer {
  readonly #server: net.Server;
  readonly #connections = new Set<AdbConnection>();
  readonly #host: AdbHost;

  constructor(host: AdbHost & { log: Log; faults: Faults }) {
    this.#host = host;
    this.#server = net.createServer(SOCKET_OPTIONS, (socket) => {
      if (host.faults.adbDown || this.#connections.size >= MAX_CONNECTIONS) {
        socket.on('error', () => undefined); // a reset by a refused client needs no report
        socket.resetAndDestroy();
        return;
      }
      const connection = new AdbConnection(socket, this.#host, () => this.streamCount < MAX_STREAMS);
      this.#connections.add(connection);
      socket.once('close', () => this.#connections.delete(connection));
    });
  }

  /** Listens and returns the port. It is a free one when `port` is 0 or, with `orAny`, when `port` is taken. */
  async listen(address: { host: string; port: number }, options: { orAny: boolean }): Promise<number> {
    try {
      return await this.#listenOnce(address);
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken || !options.orAny) throw error;
      return this.#listenOnce({ ...address, port: 0 });
    }
  }

  #listenOnce(address: { host: string; port: number }): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen({ ...address, exclusive: true }, () => {
        this.#server.off('error', reject);
        this.#server.on('error', (error) => this.#host.log.error({ err: error }, 'the ADB port failed'));
        const bound = this.#server.address();
        resolve(typeof bound === 'object' && bound ? bound.port : address.port);
      });
    });
  }

  get streamCount(): number {
    let count = 0;
    for (const connection of this.#connections) count += connection.streamCount;
    return count;
  }

  get connectionCount(): number {
    return this.#connections.size;
  }

  /** Cuts every connection as if the cable was pulled; new ones are still accepted. */
  dropConnections(): void {
    for (const connection of this.#connections) connection.destroy();
  }

  /** Ends every stream and connection and frees the port. */
  async close(): Promise<void> {
    this.dropConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

const MAX_CONNECTIONS = 64;
/** Most streams of all connections together. */
const MAX_STREAMS = 1_024;
/** A connection whose client has vanished ends after about two minutes. */
const SOCKET_OPTIONS = { noDelay: true, highWaterMark: 256 * 1024, keepAlive: true, keepAliveInitialDelay: 60_000 };
