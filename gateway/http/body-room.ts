import { ApiError } from '../../kit/errors/api-error.js';

export interface BodyRoomLimits {
  /** Most bytes of one account or address. */
  maxEachBytes: number;
  /** Most bytes of all accounts and addresses together. */
  maxAllBytes: number;
  /** Most bytes of one account or address while more than half of the room is taken. */
  maxShareBytes: number;
}

/**
 * Bounds the memory for bodies that are coming in. A body is held from its first byte to its last. A slow client can make that take long,
 * and there may be thousands of bodies. So each account or address has a limit, and all of them together have one. The second half of the
 * room is given out in small shares. So the other callers still get room when a few take as much as they can.
 */
export class BodyRoom {
  readonly #limits: BodyRoomLimits;
  readonly #held = new Map<string, number>();
  #heldByAll = 0;

  constructor(limits: BodyRoomLimits) {
    this.#limits = limits;
  }

  /** Takes room for `bytes` more. Returns an error when there is none; then nothing was taken. */
  take(who: string, bytes: number): ApiError | undefined {
    const { maxEachBytes, maxAllBytes, maxShareBytes } = this.#limits;
    const held = (this.#held.get(who) ?? 0) + bytes;
    if (held > maxEachBytes) {
      const text = `More than ${maxEachBytes} bytes of bodies at the same time. Send this one when others have ended.`;
      return new ApiError('rate_limited', text, { retryAfterS: 1 });
    }
    const heldByAll = this.#heldByAll + bytes;
    if (heldByAll > maxAllBytes || (heldByAll > maxAllBytes / 2 && held > maxShareBytes)) {
      return new ApiError('unavailable', 'Too much is being sent here just now. Try again.', { retryAfterS: 1 });
    }
    this.#held.set(who, held);
    this.#heldByAll = heldByAll;
    return undefined;
  }

  giveBack(who: string, bytes: number): void {
    const held = (this.#held.get(who) ?? 0) - bytes;
    if (held > 0) this.#held.set(who, held);
    else this.#held.delete(who);
    this.#heldByAll -= bytes;
  }
}
