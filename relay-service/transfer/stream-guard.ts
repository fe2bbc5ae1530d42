export type Sender = 'client' | 'phone';

/** Counts the files in one stream's data while it goes through, and cuts the stream where the limit is reached. */
export interface StreamGuard {
  /**
   * How a write of `length` bytes is handled: `forward` it unseen, `watch` it as it goes through, or `gather` it, to decide on it
   * once it is complete.
   */
  route(from: Sender, length: number): 'forward' | 'watch' | 'gather';
  /** The next piece of a watched write. */
  watched(from: Sender, bytes: Buffer): void;
  /** A gathered write. Returns the part of it that goes on, from its beginning. */
  gathered(from: Sender, payload: Buffer): Buffer;
  /** A watched write, or the part of a gathered one, has gone on. */
  passed(): void;
  /** Data of the client after the relay took the stream over. */
  receive(bytes: Buffer): void;
}

export interface StreamCut {
  /**
   * Closes the stream on the phone's side and makes the relay the client's peer: `replies` are sent, and the client's data goes to
   * the guard's `receive`. Returns how to continue.
   */
  takeOver(replies: readonly Buffer[]): { write: (bytes: Buffer) => void; end: () => void };
}

export const NOTHING = Buffer.alloc(0);
