import { MAX_PAYLOAD_BYTES } from '../../phone/adb/packet.js';
import { MAX_SYNC_DATA_BYTES } from '../../phone/adb/sync-messages.js';

/** Counts the bytes of files that one connection has moved, against its limit. */
export class TransferBudget {
  readonly limitBytes: number;
  #usedBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  get leftBytes(): number {
    return this.limitBytes - this.#usedBytes;
  }

  /** Whether the packets that are on their way now could use up the rest. There is at most one such packet in each direction. */
  get isNearlyUsed(): boolean {
    return this.leftBytes < 2 * (MAX_PAYLOAD_BYTES + MAX_SYNC_DATA_BYTES);
  }

  /** Counts `bytes`. Returns false, and counts nothing, when they are more than is left. */
  use(bytes: number): boolean {
    if (bytes > this.leftBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }
}
