import { connect, type Socket } from 'node:net';
import { pipeline } from 'node:stream';
import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import type { ConnectSocket } from '../link/phone-link.js';

/** Connections to a gate that wait for the phone: each is replaced as soon as it is used. */
const WAITING = 2;
/** Pause after a connection that failed, ms; doubled up to the second number. */
const RETRY_FIRST_MS = 200;
const MAX_RETRY_MS = 10_000;
const KEEP_ALIVE_MS = 15_000;

export interface ExitTunnelsParts {
  connectSocket: ConnectSocket;
  clock: Clock;
  log: Log;
}

/** Where the gate of a phone is, and where its traffic goes. */
export interface GateAddress {
  host: string;
  port: number;
  token: string;
  /** The forwarder's socket; undefined: the phone has no way out. */
  forwarder: string | undefined;
}

/** The connections from this process to the gates in the pods of phones, each led to the forwarder of its phone. */
export class ExitTunnels {
  readonly #parts: ExitTunnelsParts;
  readonly #tunnels = new Map<string, Tunnels>();

  constructor(parts: ExitTunnelsParts) {
    this.#parts = parts;
  }

  /** Opens the connections to a phone's gate. If they are open already, leads them to the given forwarder. */
  open(phoneId: string, at: GateAddress): void {
    const open = this.#tunnels.get(phoneId);
    if (open?.isFor(at) === true) {
      open.leadTo(at.forwarder);
      return;
    }
    open?.close();
    this.#tunnels.set(phoneId, new Tunnels(at, this.#parts, this.#parts.log.child({ phone: phoneId })));
  }

  close(phoneId: string): void {
    this.#tunnels.get(phoneId)?.close();
    this.#tunnels.delete(phoneId);
  }

  closeAll(): void {
    for (const phoneId of [...this.#tunnels.keys()]) this.close(phoneId);
  }
}

/** The connections to one gate. */
class Tunnels {
  readonly #at: GateAddress;
  readonly #parts: ExitTunnelsParts;
  readonly #log: Log;
  readonly #closing = new AbortController();
  readonly #waiting = new Set<Socket>();
  readonly #used = new Set<Socket>();
  #forwarder: string | undefined;
  #retryMs = 0;

  constructor(at: GateAddress, parts: ExitTunnelsParts, log: Log) {
    this.#at = at;
    this.#parts = parts;
    this.#log = log;
    this.#forwarder = at.forwarder;
    for (let count = 0; count < WAITING; count++) this.#offer();
  }

  isFor({ host, port, token }: GateAddress): boolean {
    return this.#at.host === host && this.#at.port === port && this.#at.token === token;
  }

  /** Leads further connections to a forwarder. Ends the open ones where they lead to another. */
  leadTo(forwarder: string | undefined): void {
    if (this.#forwarder !== forwarder) for (const socket of this.#used) socket.destroy();
    this.#forwarder = forwarder;
  }

  close(): void {
    this.#closing.abort();
    for (const socket of [...this.#waiting, ...this.#used]) socket.destroy();
  }

  #offer(): void {
    const { host, port, token } = this.#at;
    const socket = this.#parts.connectSocket(host, port);
    this.#waiting.add(socket);
    socket.allowHalfOpen = true;
    socket.setNoDelay(true).setKeepAlive(true, KEEP_ALIVE_MS);
    let failure: Error | undefined;
    socket.on('error', (error) => (failure = error));
    socket.once('connect', () => (this.#retryMs = 0));
    socket.write(`${token}\n`);
    socket.once('readable', () => this.#use(socket));
    socket.once('close', () => {
      this.#used.delete(socket);
      if (this.#waiting.delete(socket)) void this.#offerAgain(failure);
    });
  }

  async #offerAgain(failure: Error | undefined): Promise<void> {
    const { signal } = this.#closing;
    if (signal.aborted) return;
    // Logs once each time that the gate goes away, as when the phone or its node is off.
    if (this.#retryMs === 0) this.#log.info({ err: failure }, 'the gate of a phone is not reached; trying again');
    this.#retryMs = Math.min(Math.max(this.#retryMs * 2, RETRY_FIRST_MS), MAX_RETRY_MS);
    const isOver = await this.#parts.clock.sleep(this.#retryMs, signal).then(
      () => false,
      () => true,
    );
    if (!isOver) this.#offer();
  }

  /** Called when the phone has begun to send, or the gate has ended the connection. */
  #use(socket: Socket): void {
    if (this.#closing.signal.aborted || socket.readableLength === 0) {
      socket.destroy();
      return;
    }
    this.#waiting.delete(socket);
    this.#offer();
    if (this.#forwarder === undefined) {
      socket.destroy();
      return;
    }
    this.#used.add(socket);
    const onward = connect({ path: this.#forwarder, allowHalfOpen: true });
    // Two pipelines add more than ten listeners to a socket, and Node would warn of a leak.
    for (const one of [socket, onward]) one.setMaxListeners(20);
    const ended = (error: unknown): void => {
      if (error) for (const one of [socket, onward]) one.destroy();
    };
    pipeline(socket, onward, ended);
    pipeline(onward, socket, ended);
  }
}
