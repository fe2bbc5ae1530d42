/** A frame of a watched screen, which can be sent next. */
export interface ReadyFrame {
  /** Changes where viewers must be notified before the frame: of its size, or of another format. */
  form: string;
  /** Codec of a video. */
  codec: string | undefined;
  /** The picture it belongs to, pixels: of the screen, or of a video that may be smaller. */
  width: number;
  height: number;
  /** When it was begun, or came, on the clock's monotonic scale. */
  beganMs: number;
  /** Returns its bytes, after which it is not ready any more. `flags`: of an access unit of a video. */
  take(): Promise<{ data: Uint8Array; contentType: string; flags?: number }>;
}

/** The frames for one viewer, in one format. */
export interface FrameFeed {
  readonly format: 'png' | 'jpeg' | 'h264';
  /** Why there are no frames, and for how long, ms; undefined while there are. */
  readonly failing: { error: Error; forMs: number } | undefined;
  /** Whether no frames will come, so that the viewer needs another feed. */
  readonly isOver: boolean;
  /** The frame to send now, or the time after which to ask again, ms; undefined: after the next news. */
  next(): ReadyFrame | number | undefined;
  leave(): void;
}
