/** Looks at the data of one stream while it goes through, to count what is a file, and to cut it where the count is full. */
export interface Watch {
  readonly fromClient: WatchedSide;
  readonly fromPhone: WatchedSide;
  /** The stream has no way to the phone any more; what the client sends is for `receive`. */
  receive?(bytes: Buffer): void;
}

export interface WatchedSide {
  /**
   * What is to be done with a write of `length` bytes: `watch` it as it goes on, `gather` it to decide when it is whole, or `take`
   * it, as it must not go on.
   */
  route(length: number): 'watch' | 'gather' | 'take';
  /** A piece of a watched or taken write. */
  piece(bytes: Buffer): void;
  /** A watched write went on, or a taken one is complete. */
  end(): void;
  /** A gathered write: answers the part of it that goes on, from its beginning; the rest is taken. */
  packet(payload: Buffer): Buffer;
  /** Called after what `packet` answered, or a watched write, went on. */
  passed?(): void;
}

/** What a watch can do to its stream. */
export interface StreamCut {
  /**
   * Closes the stream on the phone's side and gives the client's side to the relay: `bytes` are sent there; what the client sends
   * goes to the watch's `receive`. Answers how to go on.
   */
  takeOver(bytes: readonly Buffer[]): { write: (bytes: Buffer) => void; end: () => void };
}
