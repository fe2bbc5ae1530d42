import { Gauge, type Registry } from 'prom-client';
import { ApiError } from '../../kit/errors/api-error.js';
import type { EdgeLimits } from '../limits.js';
import { UnderWay } from '../../kit/async/under-way.js';

type SocketLimits = Pick<EdgeLimits, 'maxSockets' | 'maxSocketsOfCaller' | 'maxSocketsOfAccount'>;

/** The opener of a socket: a key, a session, or the address of an anonymous client. `account` is the opener's account. */
export interface SocketOwner {
  caller: string;
  /** The account. Absent for an anonymous client. */
  account?: string | undefined;
}

/** A socket that is open, or being opened. */
export interface OpenSocket {
  /** How many frames are held for the socket. */
  readonly queued: number;
  /** Ends the socket, as the service is stopping. Returns at once. */
  leave(): void;
}

/** The WebSockets of this gateway. It bounds their number, and ends them when the gateway stops. */
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
    const { maxSockets, maxSocketsOfCaller, maxSocketsOfAccount } = this.#limits;
    if (this.#ofCaller.of(caller) >= maxSocketsOfCaller) {
      throw new ApiError(
        'rate_limited',
        `More than ${maxSocketsOfCaller} WebSockets of this key are open. Close some first.`,
      );
    }
    if (account !== undefined && this.#ofAccount.of(account) >= maxSocketsOfAccount) {
      throw new ApiError(
        'rate_limited',
        `More than ${maxSocketsOfAccount} WebSockets of this account are open, of all its keys together. Close some first.`,
      );
    }
    if (this.#open.size >= maxSockets) {
      throw new ApiError('unavailable', 'Too many WebSockets are open here just now. Try again.', { retryAfterS: 5 });
    }
    this.#open.set(socket, owner);
    this.#ofCaller.begin(caller);
    if (account !== undefined) this.#ofAccount.begin(account);
  }

  /** Removes a socket. Safe to call any number of times. */
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
