import type { SearchWork } from './search-work.js';
import type { Secret } from './secret.js';
import type { Span } from './text-view.js';

/** A part of a text that shows a secret. */
export interface Spot extends Span {
  secret: Secret;
  /** Whether the spot shows the whole secret; false: only a piece of the secret. */
  isWhole: boolean;
  isEncoded: boolean;
}

/** Most spots of one text. A text with more of them was made for that purpose, and is hidden as a whole. */
const MAX_SPOTS = 300;

/** Work, in characters, of comparing a spot and the words around it with what the screen showed before. */
const SPOT_WORK = 200;

/** The spots of one text, each once, although several readings of the text show it. */
export class FoundSpots {
  readonly all: Spot[] = [];
  readonly #keys = new Map<Secret, Set<string>>();
  readonly #work: SearchWork;

  constructor(work: SearchWork) {
    this.#work = work;
  }

  /** Whether there are too many spots, or the search took too long: the text is to be hidden as a whole. */
  get isOver(): boolean {
    return this.all.length > MAX_SPOTS || this.#work.isOver;
  }

  /** Notes work that is about to be done. Returns false when the search is over. */
  spend(characters: number): boolean {
    return this.#work.spend(characters) && !this.isOver;
  }

  add(spot: Spot): void {
    const { from, to, isWhole, isEncoded } = spot;
    const key = `${from} ${to} ${isWhole} ${isEncoded}`;
    const keys = this.#keys.get(spot.secret) ?? new Set();
    this.#keys.set(spot.secret, keys);
    if (keys.has(key) || !this.spend(SPOT_WORK + to - from)) return;
    keys.add(key);
    this.all.push(spot);
  }
}
