import { ApiError } from '../../kit/errors/api-error.js';
import { UnderWay } from '../../kit/async/under-way.js';

/**
 * Files under way at the same time. Each takes up to 4 MiB of memory here, and a connection to its phone. While half of all are under way, an
 * account has `ofAccountWhenBusy`: a few accounts with slow files then leave room to the others.
 */
export const TRANSFERS = { ofPhone: 3, ofAccount: 12, ofAccountWhenBusy: 3, ofAll: 60 };

const RETRY_AFTER_S = 5;

/** Bounds the files that are under way between phones and callers, in this process. */
export class Transfers {
  readonly #ofPhone = new UnderWay();
  readonly #ofAccount = new UnderWay();

  get all(): number {
    return this.#ofPhone.all;
  }

  /** Counts a file until the function that it returns is called. Throws rate_limited when there are too many. */
  begin({ phoneId, name }: { phoneId: string; name: string }, accountId: string): () => void {
    const [phone, account] = [this.#ofPhone.of(phoneId), this.#ofAccount.of(accountId)];
    if (phone >= TRANSFERS.ofPhone) throw tooMany(`${phone} files are under way from or to "${name}"`);
    if (account >= TRANSFERS.ofAccount) throw tooMany(`${account} files of this account are under way`);
    const isBusy = this.all >= TRANSFERS.ofAll / 2 && account >= TRANSFERS.ofAccountWhenBusy;
    if (isBusy || this.all >= TRANSFERS.ofAll) throw tooMany('The service has as many files under way as it can');
    this.#ofPhone.begin(phoneId);
    this.#ofAccount.begin(accountId);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#ofPhone.end(phoneId);
      this.#ofAccount.end(accountId);
    };
  }
}

function tooMany(what: string): ApiError {
  return new ApiError('rate_limited', `${what}. Wait until one of them is through, then try again.`, {
    retryAfterS: RETRY_AFTER_S,
  });
}
