/** A frame of a watched screen that can be sent next. */
export interface ReadyFrame {
  /** Changes when the size or the format does. Viewers must be notified of a change before they get the frame. */
  form: string;
  /** Codec of a video; undefined for pictures. */
  codec: string | undefined;
  /** Size of the frame, pixels. A video may be smaller than the screen. */
  width: number;
  height: number;
  /** When the capture of the frame began, or when the frame arrived, in ms of the monotonic clock. */
  beganMs: number;
  /** Returns the frame's bytes. `FrameFeed.next` does not return a frame that was taken. `flags`: the flags of an access unit of a video. */
  take(): Promise<{ data: Uint8Array; contentType: string; flags?: number }>;
}

/** The frames for one viewer, in one format. */
export interface FrameFeed {
  readonly format: 'png' | 'jpeg' | 'h264';
  /** Why no frames come, and for how long none have come, ms. Undefined while frames come. */
  readonly failing: { error: Error; forMs: number } | undefined;
  /** Whether no frames will come, so that the viewer needs another feed. */
  readonly isOver: boolean;
  /** Returns the frame to send now, or the time after which to call again, ms. Undefined: call again after the feed's next notice. */
  next(): ReadyFrame | number | undefined;
  leave(): void;
}
