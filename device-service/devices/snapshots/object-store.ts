/** Objects in a bucket outside of all hosts. Names are those of this service alone. */
export interface ObjectStore {
  /** Writes an object whole, or not at all, in place of one of that name. */
  put(name: string, content: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void>;
  /** Opens an object to read it. Returns undefined when there is none. */
  get(name: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** Removes an object. One that does not exist is no error. */
  delete(name: string, signal: AbortSignal): Promise<void>;
}
