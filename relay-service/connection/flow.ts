import type { Clock } from '../../kit/async/clock.js';
import { OutgoingQueue } from './outgoing-queue.js';
import type { PacedInput } from './paced-input.js';
import type { PacketOut } from './packet-out.js';
import type { PeerStream } from './peer-stream.js';
import type { UnacknowledgedBytes } from './unacknowledged-bytes.js';

interface Side {
  socket: PeerStream;
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
 * Applies backpressure: a side is not read while enough bytes wait to be sent to the other side. Together with adb's rule of one
 * unacknowledged write for each stream, this bounds the memory of a connection. Some packets of a side make the relay send packets of its
 * own to that side. The side is not read while too many bytes wait for it.
 *
 * A side that is not read can end unnoticed. So the connection ends when a side accepts nothing for `stalledMs`.
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
