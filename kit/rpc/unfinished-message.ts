/** Bytes before each message of gRPC, gRPC-Web and Connect's streams: a byte of flags and the length. */
const PREFIX_BYTES = 5;

/**
 * Counts the bytes and frames of a call's message that is only partly received. In an *enveloped* call, each message has a prefix with its
 * length. In other calls the body is the client's one message, and Connect holds it until the body ends.
 */
export class UnfinishedMessage {
  readonly #enveloped: boolean;
  readonly #prefix = Buffer.alloc(PREFIX_BYTES);
  #prefixBytes = 0;
  #missing = 0;
  #bytes = 0;
  #frames = 0;

  constructor(enveloped: boolean) {
    this.#enveloped = enveloped;
  }

  /** Bytes of the message that is on its way; 0 between two messages. */
  get bytes(): number {
    return this.#bytes;
  }

  get frames(): number {
    return this.#frames;
  }

  /** Counts a frame, which may end a message, or several, and begin the next one. Returns whether it has ended one. */
  add(frame: Uint8Array): boolean {
    this.#frames++;
    if (!this.#enveloped) {
      this.#bytes += frame.length;
      return false;
    }
    let hasEnded = false;
    for (let at = 0; at < frame.length;) {
      const wanted = this.#missing === 0 ? PREFIX_BYTES - this.#prefixBytes : this.#missing;
      const piece = frame.subarray(at, at + wanted);
      at += piece.length;
      this.#bytes += piece.length;
      if (this.#missing > 0) this.#missing -= piece.length;
      else {
        this.#prefix.set(piece, this.#prefixBytes);
        this.#prefixBytes += piece.length;
        if (this.#prefixBytes < PREFIX_BYTES) continue;
        this.#prefixBytes = 0;
        this.#missing = this.#prefix.readUInt32BE(1);
      }
      if (this.#missing > 0) continue;
      hasEnded = true;
      this.#bytes = 0;
      this.#frames = at < frame.length ? 1 : 0;
    }
    return hasEnded;
  }
}
