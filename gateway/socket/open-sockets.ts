import { Gauge, type Registry } from 'prom-client';
import { ApiError } from '../../kit/errors.js';
import type { EdgeLimits } from '../limits.js';
import { UnderWay } from '../../kit/under-way.js';

type SocketLimits = Pick<EdgeLimits, 'socketsMax' | 'socketsOfCallerMax' | 'socketsOfAccountMax'>;

/** The opener of a socket: a key, a session, or the address of a stranger; and its account. */
export interface SocketOwner {
  caller: string;
  /** Absent for a stranger. */
  account?: string | undefined;
}

/** Number of sockets that are open, or being opened. */
export interface OpenSocket {
  /** Frames that are held for it. */
  readonly queued: number;
  /** The service is stopping. Returns at once. */
  leave(): void;
}

/** The WebSockets of this gateway: how many there may be, and their end when it stops. */
export class OpenSockets {
  readonly #limits: SocketLimits;
  readonly #open = new Map<OpenSocket, SocketOwner>();
  readonly #ofCaller = new UnderWay();
  readonly #ofAccount = new UnderWay();

  constructor({ metrics, limits }: { metrics: Registry; limits: SocketLimits }) {
    this.#limits = limits;
    const count = (): number => this.#open.size;
    new Gauge({
      name: 'http_open_sockets',
      help: 'WebSockets that are open or being opened',
      registers: [metrics],
      collect() {
        this.set(count());
      },
    });
    const queued = (): number => Math.max(0, ...[...this.#open.keys()].map((socket) => socket.queued));
    new Gauge({
      name: 'http_socket_queued_frames_max',
      help: 'Frames that are held for the WebSocket for which the most are held',
      registers: [metrics],
      collect() {
        this.set(queued());
      },
    });
  }

  /** Adds a socket. Throws rate_limited or unavailable when there are too many. */
  add(owner: SocketOwner, socket: OpenSocket): void {
    const { caller, account } = owner;
    const { socketsMax, socketsOfCallerMax, socketsOfAccountMax } = this.#limits;
    if (this.#ofCaller.of(caller) >= socketsOfCallerMax) {
      throw new ApiError(
        'rate_limited',
        `More than ${socketsOfCallerMax} WebSockets of this key are open. Close some first.`,
      );
    }
    if (account !== undefined && this.#ofAccount.of(account) >= socketsOfAccountMax) {
      throw new ApiError(
        'rate_limited',
        `More than ${socketsOfAccountMax} WebSockets of this account are open, of all its keys together. Close some first.`,
      );
    }
    if (this.#open.size >= socketsMax) {
      throw new ApiError('unavailable', 'Too many WebSockets are open here just now. Try again.', { retryAfterS: 5 });
    }
    this.#open.set(socket, owner);
    this.#ofCaller.begin(caller);
    if (account !== undefined) this.#ofAccount.begin(account);
  }

  /** Safe to call any number of times. */
  remove(socket: OpenSocket): void {
    const owner = this.#open.get(socket);
    if (owner === undefined) return;
    this.#open.delete(socket);
    this.#ofCaller.end(owner.caller);
    if (owner.account !== undefined) this.#ofAccount.end(owner.account);
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.leave();
  }
}
