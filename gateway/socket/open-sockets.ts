import { Gauge, type Registry } from 'prom-client';
import { ApiError } from '../../kit/errors.js';
import type { EdgeLimits } from '../limits.js';

/** Number of sockets that are open, or being opened. */
export interface OpenSocket {
  /** Frames that are held for it. */
  readonly queued: number;
  /** The service is stopping. Returns at once. */
  leave(): void;
}

/** The WebSockets of this gateway: how many there may be, and their end when it stops. */
export class OpenSockets {
  readonly #limits: Pick<EdgeLimits, 'socketsMax' | 'socketsOfCallerMax'>;
  readonly #open = new Map<OpenSocket, string>();
  readonly #ofCaller = new Map<string, number>();

  constructor({
    metrics,
    limits,
  }: {
    metrics: Registry;
    limits: Pick<EdgeLimits, 'socketsMax' | 'socketsOfCallerMax'>;
  }) {
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

  /** Adds one of the caller `who` (key or address). Throws rate_limited or unavailable when there are too many. */
  add(who: string, socket: OpenSocket): void {
    const { socketsMax, socketsOfCallerMax } = this.#limits;
    const own = this.#ofCaller.get(who) ?? 0;
    if (own >= socketsOfCallerMax) {
      throw new ApiError(
        'rate_limited',
        `More than ${socketsOfCallerMax} WebSockets of this key are open. Close some first.`,
      );
    }
    if (this.#open.size >= socketsMax) {
      throw new ApiError('unavailable', 'Too many WebSockets are open here just now. Try again.', { retryAfterS: 5 });
    }
    this.#open.set(socket, who);
    this.#ofCaller.set(who, own + 1);
  }

  /** Safe to call any number of times. */
  remove(socket: OpenSocket): void {
    const who = this.#open.get(socket);
    if (who === undefined) return;
    this.#open.delete(socket);
    const left = (this.#ofCaller.get(who) ?? 0) - 1;
    if (left > 0) this.#ofCaller.set(who, left);
    else this.#ofCaller.delete(who);
  }

  closeAll(): void {
    for (const socket of this.#open.keys()) socket.leave();
  }
}
