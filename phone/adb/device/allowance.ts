/** Bytes that several take from. */
export interface Bytes {
  /** Returns false, and takes nothing, when there is not so much left. */
  take(bytes: number): boolean;
  free(bytes: number): void;
}

/** An amount of bytes that several share. */
export class Allowance implements Bytes {
  #leftBytes: number;

  constructor(bytes: number) {
    this.#leftBytes = bytes;
  }

  /** Returns false, and takes nothing, when there is not so much left. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  free(bytes: number): void {
    this.#leftBytes += bytes;
  }
}
