import { ApiError } from '../../kit/errors.js';

export interface BodyRoomLimits {
  /** Of one account or address, bytes. */
  eachMaxBytes: number;
  /** Of all together, bytes. */
  allMaxBytes: number;
  /** Of one account or address while more than half of the room is taken, bytes. */
  shareMaxBytes: number;
}

/**
 * The memory for bodies that are coming in. A body is held from its first byte to its last, which a slow client can make take its time,
 * and there may be thousands of them; so each account or address has a limit, and there is one for all. The second half of the room is given
 * out in small shares, so that few that take all they can do not shut out the others.
 */
export class BodyRoom {
  readonly #limits: BodyRoomLimits;
  readonly #held = new Map<string, number>();
  #heldByAll = 0;

  constructor(limits: BodyRoomLimits) {
    this.#limits = limits;
  }

  /** Takes room for `bytes` more. Returns an error when there is none; nothing was taken then. */
  take(who: string, bytes: number): ApiError | undefined {
    const { eachMaxBytes, allMaxBytes, shareMaxBytes } = this.#limits;
    const held = (this.#held.get(who) ?? 0) + bytes;
    if (held > eachMaxBytes) {
      const text = `More than ${eachMaxBytes} bytes of bodies at the same time. Send this one when others have ended.`;
      return new ApiError('rate_limited', text, { retryAfterS: 1 });
    }
    const heldByAll = this.#heldByAll + bytes;
    if (heldByAll > allMaxBytes || (heldByAll > allMaxBytes / 2 && held > shareMaxBytes)) {
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
