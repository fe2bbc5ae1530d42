import { isDeepStrictEqual } from 'node:util';
import { LRUCache } from 'lru-cache';
import type { Pixels } from '../../phone/screen/pixels.js';
import { sameWindow } from '../display/foreground.js';
import type { LocatedPhone } from '../link/reached-phone.js';
import type { Counter } from '../tree/what-may-differ.js';
import type { Observation, RememberedObservation } from './observation.js';
import { StepsSince } from './steps-since.js';

/**
 * The most bytes of pixels that are kept for all observations together. An observation has 3 to 10 MB of pixels, and all that they save is
 * a dump.
 */
const MAX_PIXEL_BYTES = 64 * 1024 * 1024;

/** The most texts that are remembered as counters; the oldest are forgotten first. */
const MAX_COUNTERS = 50;

/**
 * The latest observation that one key made of one phone's screen. New elements get their ids from it, and ids in requests are looked up in
 * it.
 */
export class LastObservation {
  /** Number of the next new element id. Two observations at the same time both take their ids from it, so that no id means two elements. */
  nextId = 1;
  /** The steps that were done on the phone since the latest observation. */
  readonly steps = new StepsSince();
  #counters: readonly Counter[] = [];
  readonly #pixels: LRUCache<LastObservation, Pixels>;
  #latest: Omit<RememberedObservation, 'pixels'> | undefined;
  #latestShown: Omit<RememberedObservation, 'pixels'> | undefined;

  constructor(pixels: LRUCache<LastObservation, Pixels>) {
    this.#pixels = pixels;
  }

  latest(): RememberedObservation | undefined {
    return this.#latest && { ...this.#latest, pixels: this.#pixels.get(this) };
  }

  /** Returns the latest observation whose elements the caller got; later ones were made only for an error. */
  latestShown(): RememberedObservation | undefined {
    return this.#latestShown && { ...this.#latestShown, pixels: undefined };
  }

  /** Texts of the observed window that went on counting while nobody sent input. */
  get counters(): readonly Counter[] {
    return this.#counters;
  }

  addCounters(counters: readonly Counter[]): void {
    const isNew = (one: Counter): boolean => !this.#counters.some((known) => isDeepStrictEqual(known, one));
    const added = counters.slice(-MAX_COUNTERS).filter(isNew);
    this.#counters = [...this.#counters, ...added].slice(-MAX_COUNTERS);
  }

  remember({ picture: _picture, before: _before, pixels, ...observation }: Observation): void {
    if (this.#latest !== undefined && !sameWindow(this.#latest.front, observation.front)) this.#counters = [];
    this.#latest = observation;
    if (observation.shown) this.#latestShown = observation;
    this.steps.observed(observation.inputSentMs);
    if (pixels === undefined) this.#pixels.delete(this);
    else this.#pixels.set(this, pixels);
  }
}

/**
 * Keeps the latest observation of each key and phone. Another key's observations of the same phone never change the meaning of this key's
 * element ids. A phone that was started again begins without observations.
 */
export class LastObservations {
  readonly #lastObservations: LRUCache<string, LastObservation>;
  readonly #pixels = new LRUCache<LastObservation, Pixels>({
    maxSize: MAX_PIXEL_BYTES,
    sizeCalculation: ({ data }) => Math.max(1, data.length),
  });

  /** `max`: observations kept over all keys and phones. */
  constructor(max: number) {
    this.#lastObservations = new LRUCache({ max, dispose: (lastObservation) => this.#pixels.delete(lastObservation) });
  }

  /** Returns the entry of a key and a phone, which is made at the first call. Later calls get the same entry. */
  lastObservationOf(keyId: string, { phoneId, generation, identity }: PhoneStart): LastObservation {
    const key = `${keyId} ${phoneId} ${generation} ${identity}`;
    const lastObservation = this.#lastObservations.get(key) ?? new LastObservation(this.#pixels);
    this.#lastObservations.set(key, lastObservation);
    return lastObservation;
  }
}

/** One start of a phone. */
type PhoneStart = Pick<LocatedPhone, 'phoneId' | 'generation' | 'identity'>;
