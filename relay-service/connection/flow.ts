import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../kit/clock.js';
import type { PacketOut } from './packet-out.js';

interface Side {
  socket: Socket;
  out: PacketOut;
}

interface FlowParts {
  client: Side;
  phone: Side;
  ownRepliesBytes: number;
  clock: Clock;
  stalledMs: number;
  onStalled: () => void;
}

/**
 * Backpressure: a side is not read while the other has enough to send. That, and adb's rule of one unacknowledged write for each
 * stream, bounds the memory of a connection. A client that requests replies of the relay's own faster than it reads them is not read
 * either.
 *
 * The end of a side that is not read is not noticed, so one that accepts nothing for `stalledMs` ends the connection.
 */
export class Flow {
  readonly #parts: FlowParts;
  readonly #timers = new Map<Side, Timer>();

  constructor(parts: FlowParts) {
    this.#parts = parts;
    for (const { socket } of [parts.client, parts.phone]) socket.on('drain', () => this.adjust());
  }

  /** Call after anything was sent. */
  adjust(): void {
    const { client, phone, ownRepliesBytes } = this.#parts;
    const mostWaiting = client.socket.writableHighWaterMark + ownRepliesBytes;
    read(phone.socket, !client.socket.writableNeedDrain);
    read(client.socket, !phone.socket.writableNeedDrain && client.out.waitingBytes <= mostWaiting);
    for (const side of [client, phone]) this.#watch(side);
  }

  close(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }

  #watch(side: Side): void {
    const { clock, stalledMs, onStalled } = this.#parts;
    const timer = this.#timers.get(side);
    if (!side.socket.writableNeedDrain) {
      timer?.cancel();
      this.#timers.delete(side);
    } else if (!timer) {
      this.#timers.set(side, clock.after(stalledMs, onStalled));
    }
  }
}

function read(socket: Socket, wanted: boolean): void {
  if (wanted === !socket.isPaused()) return;
  if (wanted) socket.resume();
  else socket.pause();
}
