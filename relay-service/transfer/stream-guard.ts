export type Sender = 'client' | 'phone';

/** Counts the files in one stream's data while it goes through, and cuts the stream where the limit is reached. */
export interface StreamGuard {
  /**
   * Returns how a write of `length` bytes is handled. `forward` passes it on unseen, `watch` reads it as it goes through, and `gather`
   * keeps it until it is complete and can be judged.
   */
  route(from: Sender, length: number): 'forward' | 'watch' | 'gather';
  /** Reads the next piece of a watched write. */
  watched(from: Sender, bytes: Buffer): void;
  /** Judges a gathered write. Returns the part that is passed on, which starts at its beginning. */
  gathered(from: Sender, payload: Buffer): Buffer;
  /** Is called when a watched write, or the returned part of a gathered one, was passed on. */
  passed(): void;
  /** Receives the data that the client sends after the relay took over the stream. */
  receive(bytes: Buffer): void;
}

export interface StreamCut {
  /**
   * Closes the stream on the phone's side and makes the relay the client's peer. `replies` are sent, and the client's data goes to the
   * guard's `receive`. Returns how to continue.
   */
  takeOver(replies: readonly Buffer[]): { write: (bytes: Buffer) => void; end: () => void };
}

export const NOTHING = Buffer.alloc(0);
