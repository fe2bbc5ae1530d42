/** A file open for reading. The opener closes it. */
export interface ReadHandle {
  readonly sizeBytes: number;
  /** Returns the next bytes, at most `maxBytes` (default 64 KiB); undefined at the end. */
  read(maxBytes?: number): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** A file open for writing. The opener closes it. */
export interface WriteHandle {
  /** Writes bytes. Throws ENOSPC when the phone's storage is full. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}
