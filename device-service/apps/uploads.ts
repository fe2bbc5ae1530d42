import { ApiError } from '../../kit/errors.js';

/** The uploads that this process is receiving, counted, as each may take gigabytes of its disk. */
export class Uploads {
  readonly #ofAccount = new Map<string, number>();
  #all = 0;

  /** Does `receive` unless the account has too many (rate_limited), or all together have (unavailable). */
  async count<T>(accountId: string, mostOfAccount: number, mostOfAll: number, receive: () => Promise<T>): Promise<T> {
    const own = this.#ofAccount.get(accountId) ?? 0;
    if (own >= mostOfAccount) {
      const message = `${own} uploads of this account are under way. Send this one when they are through.`;
      throw new ApiError('rate_limited', message, { retryAfterS: 10 });
    }
    if (this.#all >= mostOfAll) {
      throw new ApiError('unavailable', 'Too many uploads are under way just now. Try again.', { retryAfterS: 10 });
    }
    this.#ofAccount.set(accountId, own + 1);
    this.#all++;
    try {
      return await receive();
    } finally {
      this.#all--;
      const left = (this.#ofAccount.get(accountId) ?? 1) - 1;
      if (left > 0) this.#ofAccount.set(accountId, left);
      else this.#ofAccount.delete(accountId);
    }
  }
}
