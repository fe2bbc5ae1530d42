import type { Socket } from 'node:net';
import type { Clock } from '../../kit/clock.js';
import { OutgoingQueue } from './outgoing-queue.js';
import type { PacedInput } from './paced-input.js';
import type { PacketOut } from './packet-out.js';
import type { UnacknowledgedBytes } from './unacknowledged-bytes.js';

interface Side {
  socket: Socket;
  out: PacketOut;
  input: PacedInput;
}

interface FlowParts {
  client: Side;
  phone: Side;
  ownRepliesBytes: number;
  ownPhonePacketsBytes: number;
  clock: Clock;
  stalledMs: number;
  unacknowledgedBytes: UnacknowledgedBytes;
  onStalled: () => void;
}

/**
 * Backpressure: a side is not read while the other has enough to send. That, and adb's rule of one unacknowledged write for each
 * stream, bounds the memory of a connection. A side that causes packets of the relay's own faster than it reads them is not read
 * either, and neither is one whose packets wait for the next turn of the event loop.
 *
 * The end of a side that is not read is not noticed, so one that accepts nothing for `stalledMs` ends the connection.
 */
export class Flow {
  readonly #parts: FlowParts;
  readonly #queues: OutgoingQueue[];

  constructor(parts: FlowParts) {
    const { client, phone } = parts;
    this.#parts = parts;
    this.#queues = [client, phone].map((side) => new OutgoingQueue({ ...parts, ...side }));
    for (const { socket } of [client, phone]) socket.on('drain', () => this.adjust());
  }

  /** Call after anything was sent. */
  adjust(): void {
    const { client, phone, ownRepliesBytes, ownPhonePacketsBytes } = this.#parts;
    read(phone, !client.socket.writableNeedDrain && hasRoom(phone, ownPhonePacketsBytes));
    read(client, !phone.socket.writableNeedDrain && hasRoom(client, ownRepliesBytes));
    for (const queue of this.#queues) queue.watch();
  }

  close(): void {
    for (const queue of this.#queues) queue.close();
  }
}

/** Whether the packets that wait for a side are at most `ownBytes` more than those that the other side may queue for it. */
function hasRoom({ socket, out }: Side, ownBytes: number): boolean {
  return out.waitingBytes <= socket.writableHighWaterMark + ownBytes;
}

function read({ socket, input }: Side, hasRoomForIt: boolean): void {
  const wanted = hasRoomForIt && !input.isBehind;
  if (wanted === !socket.isPaused()) return;
  if (wanted) socket.resume();
  else socket.pause();
}
