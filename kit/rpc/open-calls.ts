import type { Http2ServerRequest } from 'node:http2';
import { clientAddress } from '../client-address.js';

/**
 * Calls at the same time of rpcs that need no credential, by the address of their client. Each open call costs about 80 KiB, and
 * some, such as Health's Watch, have no end of their own.
 */
export class OpenCalls {
  readonly #most: number;
  readonly #ofAddress = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** Counts a call until its stream is closed. Returns false, without counting it, when its address has too many. */
  begin({ socket, stream }: Http2ServerRequest): boolean {
    const address = clientAddress(socket.remoteAddress ?? '');
    const open = this.#ofAddress.get(address) ?? 0;
    if (open >= this.#most) return false;
    this.#ofAddress.set(address, open + 1);
    stream.once('close', () => {
      const left = (this.#ofAddress.get(address) ?? 0) - 1;
      if (left > 0) this.#ofAddress.set(address, left);
      else this.#ofAddress.delete(address);
    });
    return true;
  }
}
