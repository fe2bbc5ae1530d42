import { LRUCache } from 'lru-cache';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { LocatedPhone } from '../phones/reached-phone.js';
import type { Observation, RememberedObservation } from './observation.js';

/** Pixels kept of all observations together, bytes. They are 3 to 10 MB each, and only save a dump. */
const PIXEL_BYTES_MOST = 64 * 1024 * 1024;

/** The knowledge of one key about one phone's screen: its latest observation. Ids of elements are taken from it, and looked up in it. */
export class Sight {
  /** Number of the next new element id. Two observations at the same time take theirs from it, so that no id means two elements. */
  nextId = 1;
  readonly #pixels: LRUCache<Sight, Pixels>;
  #latest: Omit<RememberedObservation, 'pixels'> | undefined;

  constructor(pixels: LRUCache<Sight, Pixels>) {
    this.#pixels = pixels;
  }

  latest(): RememberedObservation | undefined {
    return this.#latest && { ...this.#latest, pixels: this.#pixels.get(this) };
  }

  remember({ picture: _picture, before: _before, pixels, ...observation }: Observation): void {
    this.#latest = observation;
    if (pixels === undefined) this.#pixels.delete(this);
    else this.#pixels.set(this, pixels);
  }
}

/**
 * Keeps the latest observation of each key and phone. Another key's observations of the same phone never change the meaning of an element
 * id of this one's. After a restart of the phone there is none.
 */
export class LatestObservations {
  readonly #sights: LRUCache<string, Sight>;
  readonly #pixels = new LRUCache<Sight, Pixels>({
    maxSize: PIXEL_BYTES_MOST,
    sizeCalculation: ({ data }) => Math.max(1, data.length),
  });

  /** `max`: observations kept over all keys and phones. */
  constructor(max: number) {
    this.#sights = new LRUCache({ max, dispose: (sight) => this.#pixels.delete(sight) });
  }

  /** The knowledge of a key about a phone, now and later. */
  sightOf(keyId: string, { phoneId, generation, identity }: PhoneStart): Sight {
    const key = `${keyId} ${phoneId} ${generation} ${identity}`;
    const sight = this.#sights.get(key) ?? new Sight(this.#pixels);
    this.#sights.set(key, sight);
    return sight;
  }
}

/** One start of a phone. */
type PhoneStart = Pick<LocatedPhone, 'phoneId' | 'generation' | 'identity'>;
