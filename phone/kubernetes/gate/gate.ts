import { begunAhead } from '../../../kit/async/begun-ahead.js';
import { timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Clock } from '../../../kit/async/clock.js';
import type { Log } from '../../../kit/log/log.js';

export interface GateOptions {
  /** The address of the phone's proxy, which is reached from inside the pod only. */
  proxy: { host: string; port: number };
  /** The address to which the service connects. */
  gate: { host: string; port: number };
  /** The first line of each connection of the service. */
  token: string;
  clock: Clock;
  log: Log;
}

/** Connections of the phone at the same time; a browser opens dozens. */
const MAX_CONNECTIONS = 512;
/** Most connections of the service: one for each connection of the phone, and those that wait. */
const MAX_TUNNELS = 1_024;
/** A connection of the phone is ended when the service offers none for this long, ms. */
const WAIT_MS = 10_000;
/** A connection to the gate is ended when its first line takes longer than this, ms. The service sends that line at once. */
const TOKEN_MS = 5_000;
const KEEP_ALIVE_MS = 15_000;

/**
 * Joins each connection that the phone opens to its proxy with a waiting connection that the service opened. The gate connects to nothing,
 * so the pod needs no way out at all. Without the service, phones reach nothing.
 */
export class Gate {
  readonly #options: GateOptions;
  readonly #proxy: Server;
  readonly #gate: Server;
  readonly #sockets = new Set<Socket>();
  /** Connections of the service that wait for the phone. */
  readonly #tunnels = new Set<Socket>();
  /** Connections of the phone that wait for the service. */
  readonly #waiting = new Set<Socket>();

  private constructor(options: GateOptions) {
    this.#options = options;
    this.#proxy = this.#server(MAX_CONNECTIONS, (socket) => this.#fromPhone(socket));
    this.#gate = this.#server(MAX_TUNNELS, (socket) => this.#fromService(socket));
  }

  static async listen(options: GateOptions): Promise<Gate> {
    const gate = new Gate(options);
    gate.#proxy.listen(options.proxy);
    await once(gate.#proxy, 'listening');
    gate.#gate.listen(options.gate);
    await once(gate.#gate, 'listening');
    for (const server of [gate.#proxy, gate.#gate])
      server.on('error', (error) => options.log.warn({ err: error }, 'a connection could not be accepted'));
    return gate;
  }

  get ports(): { proxy: number; gate: number } {
    const portOf = (server: Server): number => (server.address() as AddressInfo).port;
    return { proxy: portOf(this.#proxy), gate: portOf(this.#gate) };
  }

  async close(): Promise<void> {
    const closed = begunAhead(
      Promise.all([this.#proxy, this.#gate].map((server) => new Promise((resolve) => server.close(resolve)))),
    );
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #server(maxConnections: number, onSocket: (socket: Socket) => void): Server {
    const server = createServer({
      allowHalfOpen: true,
      noDelay: true,
      keepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
    });
    server.maxConnections = maxConnections;
    server.on('connection', (socket: Socket) => {
      this.#sockets.add(socket);
      // Two pipelines add more than ten listeners, at which Node would warn of a leak.
      socket.setMaxListeners(20);
      socket.on('error', () => undefined).once('close', () => this.#sockets.delete(socket));
      onSocket(socket);
    });
    return server;
  }

  #fromPhone(socket: Socket): void {
    const tunnel = this.#tunnels.values().next().value;
    if (tunnel !== undefined) {
      this.#join(socket, tunnel);
      return;
    }
    this.#waiting.add(socket);
    const timer = this.#options.clock.after(WAIT_MS, () => {
      if (this.#waiting.has(socket)) socket.destroy();
    });
    socket.once('close', () => {
      timer.cancel();
      this.#waiting.delete(socket);
    });
  }

  /** Checks the token of a connection, because the phone reaches this port too. The phone does not know the token. */
  #fromService(socket: Socket): void {
    const expected = Buffer.from(`${this.#options.token}\n`);
    const timer = this.#options.clock.after(TOKEN_MS, () => socket.destroy());
    socket.once('close', () => timer.cancel());
    let received = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      if (received.length < expected.length) return;
      timer.cancel();
      socket.off('data', onData).off('end', onEnd);
      if (received.length === expected.length && timingSafeEqual(received, expected)) this.#offer(socket);
      else socket.destroy();
    };
    const onEnd = (): void => void socket.destroy();
    socket.on('data', onData).once('end', onEnd);
  }

  #offer(tunnel: Socket): void {
    const client = this.#waiting.values().next().value;
    if (client !== undefined) {
      this.#join(client, tunnel);
      return;
    }
    this.#tunnels.add(tunnel);
    // The service sends nothing before the phone does, so a tunnel that sends or ends is closed.
    tunnel.on('data', this.#endUnused).once('end', this.#endUnused).resume();
    tunnel.once('close', () => this.#tunnels.delete(tunnel));
  }

  #join(client: Socket, tunnel: Socket): void {
    this.#waiting.delete(client);
    this.#tunnels.delete(tunnel);
    tunnel.off('data', this.#endUnused).off('end', this.#endUnused);
    const ended = (error: unknown): void => {
      if (error) for (const one of [client, tunnel]) one.destroy();
    };
    pipeline(client, tunnel, ended);
    pipeline(tunnel, client, ended);
  }

  readonly #endUnused = function (this: Socket): void {
    this.destroy();
  };
}
