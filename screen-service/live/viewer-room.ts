import { ApiError } from '../../kit/errors.js';
import type { Located } from '../phones/locate.js';

/** Counts the viewers of callers that may have only so many: those by a share. All gateways come here, so they are counted together. */
export class ViewerRoom {
  /** By caller; none at zero. */
  readonly #viewers = new Map<string, number>();

  /** Admits one more viewer, or throws rate_limited. Returns what ends it, which may be called any number of times. */
  enter({ keyId, viewersMost }: Pick<Located, 'keyId' | 'viewersMost'>): () => void {
    if (viewersMost === undefined) return () => undefined;
    const viewers = this.#viewers.get(keyId) ?? 0;
    if (viewers >= viewersMost) {
      throw new ApiError(
        'rate_limited',
        `${viewersMost} viewers watch by this link, the most that are possible. Try again later.`,
      );
    }
    this.#viewers.set(keyId, viewers + 1);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      const left = (this.#viewers.get(keyId) ?? 1) - 1;
      if (left === 0) this.#viewers.delete(keyId);
      else this.#viewers.set(keyId, left);
    };
  }
}
