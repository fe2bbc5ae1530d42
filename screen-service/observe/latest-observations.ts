import { LRUCache } from 'lru-cache';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { LocatedPhone } from '../phones/phone-session.js';
import type { Observation } from './observation.js';

/** What is remembered of an observation, for steps on elements: everything but the picture's bytes. */
export type RememberedObservation = Omit<Observation, 'picture'>;

/** What one key knows of one phone's screen: its latest observation. Ids of elements are taken from it, and looked up in it. */
export interface Sight {
  latest(): RememberedObservation | undefined;
  remember(observation: Observation): void;
}

/** Pixels kept of all observations together, bytes. They are 3 to 10 MB each, and only save a dump. */
const PIXEL_BYTES_MOST = 64 * 1024 * 1024;

/**
 * Keeps the latest observation of each key and phone. Another key's observations of the same phone never change what an element
 * id of this one's means. A phone that was started anew has none.
 */
export class LatestObservations {
  readonly #observations: LRUCache<string, Omit<RememberedObservation, 'pixels'>>;
  readonly #pixels = new LRUCache<string, Pixels>({
    maxSize: PIXEL_BYTES_MOST,
    sizeCalculation: ({ data }) => Math.max(1, data.length),
  });

  /** `max`: observations kept over all keys and phones. */
  constructor(max: number) {
    this.#observations = new LRUCache({ max });
  }

  /** What a key knows of a phone, now and later. */
  sightOf(keyId: string, phone: PhoneStart): Sight {
    return {
      latest: () => this.get(keyId, phone),
      remember: (observation) => this.set(keyId, phone, observation),
    };
  }

  set(keyId: string, phone: PhoneStart, { picture: _picture, pixels, ...observation }: Observation): void {
    const key = cacheKey(keyId, phone);
    this.#observations.set(key, observation);
    if (pixels === undefined) this.#pixels.delete(key);
    else this.#pixels.set(key, pixels);
  }

  get(keyId: string, phone: PhoneStart): RememberedObservation | undefined {
    const key = cacheKey(keyId, phone);
    const observation = this.#observations.get(key);
    return observation && { ...observation, pixels: this.#pixels.get(key) };
  }
}

/** One start of a phone. */
export type PhoneStart = Pick<LocatedPhone, 'phoneId' | 'generation' | 'identity'>;

function cacheKey(keyId: string, { phoneId, generation, identity }: PhoneStart): string {
  return `${keyId} ${phoneId} ${generation} ${identity}`;
}
