import type { Socket } from 'node:net';
import type { PacketOut } from './packet-out.js';

/**
 * Backpressure: a side is not read while the other has enough to send. That, and adb's rule of one write on the way for each
 * stream, bounds what waits here. A client that asks for answers of the relay's own faster than it reads them is not read either.
 */
export class Flow {
  readonly #client: { socket: Socket; out: PacketOut };
  readonly #phone: { socket: Socket; out: PacketOut };
  readonly #ownRepliesBytes: number;

  constructor(parts: {
    client: { socket: Socket; out: PacketOut };
    phone: { socket: Socket; out: PacketOut };
    ownRepliesBytes: number;
  }) {
    this.#client = parts.client;
    this.#phone = parts.phone;
    this.#ownRepliesBytes = parts.ownRepliesBytes;
    for (const { socket } of [this.#client, this.#phone]) socket.on('drain', () => this.adjust());
  }

  /** To be called after anything was sent. */
  adjust(): void {
    const { client, phone } = { client: this.#client, phone: this.#phone };
    read(phone.socket, !client.socket.writableNeedDrain);
    const owed = client.socket.writableHighWaterMark + this.#ownRepliesBytes;
    read(client.socket, !phone.socket.writableNeedDrain && client.out.waitingBytes <= owed);
  }
}

function read(socket: Socket, wanted: boolean): void {
  if (wanted === !socket.isPaused()) return;
  if (wanted) socket.resume();
  else socket.pause();
}
