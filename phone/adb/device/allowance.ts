/** A number of bytes from which several consumers take. */
export interface Bytes {
  /** Takes bytes. Returns false, and takes nothing, when fewer are left. */
  take(bytes: number): boolean;
  free(bytes: number): void;
}

/** A fixed number of bytes that several consumers share. */
export class Allowance implements Bytes {
  #leftBytes: number;

  constructor(bytes: number) {
    this.#leftBytes = bytes;
  }

  /** Takes bytes. Returns false, and takes nothing, when fewer are left. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  free(bytes: number): void {
    this.#leftBytes += bytes;
  }
}
