import type { ServerHttp2Stream } from 'node:http2';

/**
 * Counts the open calls of each key: the address of a client, or a caller. Each open call costs about 80 KiB, and some, such as Health's
 * Watch, stay open until the client ends them.
 */
export class OpenCalls {
  readonly #most: number;
  readonly #open = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a call until its stream is closed. Returns false, without counting the call, when its key has too many open calls. */
  begin(key: string, stream: ServerHttp2Stream): boolean {
    if (stream.closed) return true;
    const open = this.#open.get(key) ?? 0;
    if (open >= this.#most) return false;
    this.#open.set(key, open + 1);
    stream.once('close', () => {
      const left = (this.#open.get(key) ?? 0) - 1;
      if (left > 0) this.#open.set(key, left);
      else this.#open.delete(key);
    });
    return true;
  }
}
