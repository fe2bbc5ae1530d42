import type { Observation } from './observation.js';

/** What is remembered of an observation, for `tap: {element}`: everything but the picture's bytes. */
export type RememberedObservation = Omit<Observation, 'picture'>;

/** Pixels are remembered of this many observations; they are 3 to 10 MB each, and only save a dump. */
const PIXELS_OF_MOST = 6;

/**
 * The latest observation of each key and phone. Another key's observations of the same phone never change what an element id of
 * this one's means. A phone that was started anew has none.
 */
export class LatestObservations {
  readonly #most: number;
  /** Longest unused first. */
  readonly #latest = new Map<string, RememberedObservation>();
  readonly #withPixels = new Set<RememberedObservation>();

  constructor(most: number) {
    this.#most = most;
  }

  set(of: ObservationOwner, { picture: _picture, ...observation }: Observation): void {
    const key = keyOf(of);
    this.#drop(key);
    this.#latest.set(key, observation);
    if (observation.pixels !== undefined) this.#withPixels.add(observation);
    for (const oldest of this.#withPixels) {
      if (this.#withPixels.size <= PIXELS_OF_MOST) break;
      oldest.pixels = undefined;
      this.#withPixels.delete(oldest);
    }
    for (const oldest of this.#latest.keys()) {
      if (this.#latest.size <= this.#most) break;
      this.#drop(oldest);
    }
  }

  get(of: ObservationOwner): RememberedObservation | undefined {
    return this.#latest.get(keyOf(of));
  }

  #drop(key: string): void {
    const observation = this.#latest.get(key);
    if (observation !== undefined) this.#withPixels.delete(observation);
    this.#latest.delete(key);
  }
}

export interface ObservationOwner {
  keyId: string;
  phoneId: string;
  generation: number;
  identity: string;
}

function keyOf({ keyId, phoneId, generation, identity }: ObservationOwner): string {
  return `${keyId} ${phoneId} ${generation} ${identity}`;
}
