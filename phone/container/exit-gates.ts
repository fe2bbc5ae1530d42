import { once } from 'node:events';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Log } from '../../kit/log/log.js';

/** Connections of one phone at the same time; a browser opens dozens. */
const MAX_CONNECTIONS = 512;

interface Gate {
  server: Server;
  host: string;
  /** The phone's address, which may be another one after each start. */
  from: string;
  sockets: Set<Socket>;
  /** The forwarder's socket; undefined: the phone has no way out. */
  forwarder: string | undefined;
}

/**
 * The only ways out of the phones' networks. Each network has a gate, which listens on the host's address there. A gate connects its own
 * phone, and no other client, to that phone's forwarder. While this process does not run, phones reach nothing.
 */
export class ExitGates {
  readonly #gates = new Map<string, Gate>();
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  /** Opens the gate of a phone on `host` and `port`, for the address `from`. If it is open on that host, changes its forwarder instead. */
  async open(
    phoneId: string,
    at: { host: string; port: number; from: string; forwarder: string | undefined },
  ): Promise<void> {
    const open = this.#gates.get(phoneId);
    if (open?.host === at.host) {
      // Open connections lead to the old forwarder, so they are cut.
      if (open.forwarder !== at.forwarder) for (const socket of open.sockets) socket.destroy();
      open.from = at.from;
      open.forwarder = at.forwarder;
      return;
    }
    await this.close(phoneId);
    const sockets = new Set<Socket>();
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    const gate: Gate = { server, host: at.host, from: at.from, sockets, forwarder: at.forwarder };
    server.maxConnections = MAX_CONNECTIONS;
    server.on('connection', (socket: Socket) => this.#lead(gate, socket));
    server.listen({ host: at.host, port: at.port });
    await once(server, 'listening');
    server.on('error', (error) => this.#log.warn({ phone: phoneId, err: error }, 'the way out of a phone failed'));
    this.#gates.set(phoneId, gate);
  }

  async close(phoneId: string): Promise<void> {
    const gate = this.#gates.get(phoneId);
    if (gate === undefined) return;
    this.#gates.delete(phoneId);
    for (const socket of gate.sockets) socket.destroy();
    gate.server.close();
    await once(gate.server, 'close');
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.#gates.keys()].map((phoneId) => this.close(phoneId)));
  }

  /** Connects a client to the forwarder. Drops any client but the gate's phone: other phones of the host reach this address too. */
  #lead(gate: Gate, socket: Socket): void {
    socket.on('error', () => undefined);
    const { from, forwarder } = gate;
    if (socket.remoteAddress !== from || forwarder === undefined) {
      socket.destroy();
      return;
    }
    gate.sockets.add(socket);
    socket.once('close', () => gate.sockets.delete(socket));
    const onward = connect({ path: forwarder, allowHalfOpen: true });
    const ended = (error: unknown): void => {
      if (error) for (const one of [socket, onward]) one.destroy();
    };
    pipeline(socket, onward, ended);
    pipeline(onward, socket, ended);
  }
}
