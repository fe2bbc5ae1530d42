import { ApiError } from '../../kit/errors/api-error.js';
import type { Clock } from '../../kit/async/clock.js';
import type { Located } from '../phones/locate.js';

/** The viewers of one phone who came by the same share, or by the account. */
export interface CountedViewers {
  /** The id of the share. Absent: they are keys and people of the account. */
  share?: string;
  count: number;
  /** When the first of the present ones came, ms. */
  sinceMs: number;
}

type Viewer = Pick<Located, 'keyId' | 'viewersMost'> & { phoneSession: { phone: { phoneId: string } } };

/**
 * Counts the viewers of each phone's live screen, separately for each share and for the account. All gateways call this service, so it sees
 * the viewers of all of them. It enforces the most viewers of a share.
 */
export class ViewerRoom {
  readonly #clock: Clock;
  /**
   * The times at which the present viewers came, in order, by phone and then by share. Viewers of the account have the key ''. There is no
   * entry without viewers.
   */
  readonly #phones = new Map<string, Map<string, number[]>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Admits one more viewer, or throws rate_limited. Returns the function that removes the viewer, which may be called any number of times.
   */
  enter({ phoneSession, keyId, viewersMost }: Viewer): () => void {
    const { phoneId } = phoneSession.phone;
    const way = viewersMost === undefined ? ACCOUNT : keyId;
    const ways = this.#phones.get(phoneId) ?? new Map<string, number[]>();
    const present = ways.get(way) ?? [];
    if (viewersMost !== undefined && present.length >= viewersMost) {
      throw new ApiError(
        'rate_limited',
        `${viewersMost} viewers watch by this link, the most that are possible. Try again later.`,
      );
    }
    const cameMs = this.#clock.now();
    this.#phones.set(phoneId, ways.set(way, [...present, cameMs]));
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#leave(phoneId, way, cameMs);
    };
  }

  /** Returns the viewers of a phone: those of the account first, then those of each share, by its id. */
  viewersOf(phoneId: string): CountedViewers[] {
    const ways = [...(this.#phones.get(phoneId) ?? [])].sort(([a], [b]) => (a < b ? -1 : 1));
    return ways.map(([way, times]) => ({
      ...(way !== ACCOUNT && { share: way }),
      count: times.length,
      sinceMs: Math.min(...times),
    }));
  }

  #leave(phoneId: string, way: string, cameMs: number): void {
    const ways = this.#phones.get(phoneId);
    const times = ways?.get(way);
    if (ways === undefined || times === undefined) return;
    const left = times.toSpliced(times.indexOf(cameMs), 1);
    if (left.length > 0) ways.set(way, left);
    else ways.delete(way);
    if (ways.size === 0) this.#phones.delete(phoneId);
  }
}

/** The place of viewers who came by no share. */
const ACCOUNT = '';
