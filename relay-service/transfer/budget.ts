/** How many bytes of files one connection may still move. */
export class TransferBudget {
  readonly limitBytes: number;
  #usedBytes = 0;
  #reservedBytes = 0;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** What nobody uses or has reserved. */
  get leftBytes(): number {
    return this.limitBytes - this.#usedBytes - this.#reservedBytes;
  }

  /**
   * For a packet that is looked at while it already goes on: sets aside what it can need at the most, so that it cannot turn out
   * too late that it was too much. Answers false when there is not so much; such a packet must be looked at whole before any of
   * it goes on. Give the reservation back at the packet's end.
   */
  reserve(bytes: number): boolean {
    if (bytes > this.leftBytes) return false;
    this.#reservedBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.#reservedBytes -= bytes;
  }

  /** Uses `bytes` of a reservation. */
  useReserved(bytes: number): void {
    this.#reservedBytes -= bytes;
    this.#usedBytes += bytes;
  }

  /** Answers false, and uses nothing, when it is more than there is left. */
  use(bytes: number): boolean {
    if (bytes > this.leftBytes) return false;
    this.#usedBytes += bytes;
    return true;
  }
}
