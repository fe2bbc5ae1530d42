import type { Socket } from 'node:net';
import type { Clock, Timer } from '../../kit/clock.js';
import type { PacketOut } from './packet-out.js';
import type { UnacknowledgedBytes } from './unacknowledged-bytes.js';

interface OutgoingQueueParts {
  socket: Socket;
  out: PacketOut;
  clock: Clock;
  stalledMs: number;
  unacknowledgedBytes: UnacknowledgedBytes;
  onStalled: () => void;
}

/**
 * Notices a peer that takes nothing of what is queued for it, in this process and in the system, for `stalledMs`: it has stopped
 * reading, or vanished without a word. TCP keep-alive does not notice the latter while data is unacknowledged, and the system tries
 * for a quarter of an hour to deliver it.
 */
export class OutgoingQueue {
  readonly #parts: OutgoingQueueParts;
  #timer: Timer | undefined;
  #isClosed = false;
  /** When the queue was last seen to move, or began. */
  #movedMs = 0;
  /** Bytes sent when the queue was last seen to be empty. */
  #settledBytes = 0;
  /** Bytes that the system had taken, those that the peer had acknowledged, and those that had come from it, at the last check. */
  #last = { handedBytes: 0, acknowledgedBytes: 0, readBytes: 0 };

  constructor(parts: OutgoingQueueParts) {
    this.#parts = parts;
  }

  /** Call after anything was sent. */
  watch(): void {
    const { clock, stalledMs, out } = this.#parts;
    if (this.#timer || this.#isClosed || out.sentBytes === this.#settledBytes) return;
    this.#movedMs = clock.monotonicMs();
    this.#wait(stalledMs);
  }

  close(): void {
    this.#isClosed = true;
    this.#timer?.cancel();
  }

  #wait(stalledMs: number): void {
    this.#timer = this.#parts.clock.after(stalledMs / CHECKS, () => void this.#check());
  }

  async #check(): Promise<void> {
    const { clock, stalledMs, out, socket, unacknowledgedBytes, onStalled } = this.#parts;
    const readBytes = socket.bytesRead;
    // The peer is there, so only the data that the system cannot take counts.
    const isHeard = readBytes !== this.#last.readBytes;
    const unacknowledged = isHeard ? 0 : await unacknowledgedBytes(socket);
    if (this.#isClosed) return;
    const handedBytes = out.sentBytes - socket.writableLength;
    const acknowledgedBytes = handedBytes - unacknowledged;
    const last = this.#last;
    const hasMoved = isHeard
      ? socket.writableLength === 0 || handedBytes > last.handedBytes
      : acknowledgedBytes > last.acknowledgedBytes;
    this.#last = { readBytes, handedBytes, acknowledgedBytes: isHeard ? last.acknowledgedBytes : acknowledgedBytes };
    if (!isHeard && acknowledgedBytes === out.sentBytes) {
      this.#timer = undefined;
      this.#settledBytes = out.sentBytes;
      return;
    }
    if (hasMoved) this.#movedMs = clock.monotonicMs();
    if (clock.monotonicMs() - this.#movedMs >= stalledMs) onStalled();
    else this.#wait(stalledMs);
  }
}

/** Checks within the time after which a peer counts as stalled. */
const CHECKS = 6;
