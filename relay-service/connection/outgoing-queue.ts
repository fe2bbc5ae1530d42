import type { Clock, Timer } from '../../kit/async/clock.js';
import type { PacketOut } from './packet-out.js';
import type { PeerStream } from './peer-stream.js';
import type { UnacknowledgedBytes } from './unacknowledged-bytes.js';

interface OutgoingQueueParts {
  socket: PeerStream;
  out: PacketOut;
  clock: Clock;
  stalledMs: number;
  unacknowledgedBytes: UnacknowledgedBytes;
  onStalled: () => void;
}

/**
 * Notices a peer that takes none of the bytes queued for it, in this process or in the system, within `stalledMs`. Such a peer has stopped
 * reading, or has vanished. TCP keep-alive does not notice a vanished peer while data is unacknowledged. The system tries to deliver the
 * data for a quarter of an hour.
 */
export class OutgoingQueue {
  readonly #parts: OutgoingQueueParts;
  #timer: Timer | undefined;
  #isClosed = false;
  /** The time when the queue was last seen to move, or when its watch began. */
  #movedMs = 0;
  /** Bytes sent when the queue was last seen to be empty. */
  #settledBytes = 0;
  /** Numbers of bytes at the last check: taken by the system, acknowledged by the peer, and received from the peer. */
  #last = { handedBytes: 0, acknowledgedBytes: 0, readBytes: 0 };

  /** Bytes that the peer had not acknowledged at the last check. */
  #unacknowledged = 0;

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
    // A peer that has sent something is there. Then only the data that the system cannot take counts.
    const isHeard = readBytes !== this.#last.readBytes;
    // Where the number cannot be read, for example as no file descriptor is free, the number of the last check is used.
    const unacknowledged = isHeard ? 0 : await unacknowledgedBytes(socket).catch(() => this.#unacknowledged);
    this.#unacknowledged = unacknowledged;
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
