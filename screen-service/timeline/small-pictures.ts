import { encodeSmall } from '../capture/encode.js';
import { hideSecretPixels } from '../observe/hide-secrets.js';
import { allBlack, type Pixels } from '../../phone/screen/pixels.js';
import type { ScreenContent } from '../tree/elements.js';

/** Longest side of a picture in a timeline, px. Part of the contract. */
const LONGEST_PX = 480;

/** What is on a picture, by which secrets are found in it. */
export interface Shown {
  /** Elements of the picture's own moment, with the texts as they are. Undefined: not known. */
  content: ScreenContent | undefined;
  secrets: readonly string[];
}

/**
 * Makes the pictures of timelines. The picture after one step is mostly the picture before the next one, with the same pixels: then it is
 * used again, with what was hidden in it.
 */
export class SmallPictures {
  readonly #made = new WeakMap<Pixels, Promise<Buffer | undefined>>();

  /** The screen before a step, of which elements are seldom known. */
  before(pixels: Pixels, shown: Shown): Promise<Buffer | undefined> {
    return this.#made.get(pixels) ?? this.after(pixels, shown);
  }

  /**
   * The screen after a step. Undefined for a secure window, whose picture is black, and where only elements of its moment could show
   * where a secret is in it.
   */
  after(pixels: Pixels, { content, secrets }: Shown): Promise<Buffer | undefined> {
    const made = this.#make(pixels, content, secrets);
    this.#made.set(pixels, made);
    return made;
  }

  async #make(
    pixels: Pixels,
    content: ScreenContent | undefined,
    secrets: readonly string[],
  ): Promise<Buffer | undefined> {
    if (allBlack(pixels) || (content === undefined && secrets.length > 0)) return undefined;
    const hidden = content === undefined ? pixels : hideSecretPixels(pixels, content, secrets, { withPasswords: true });
    return encodeSmall(hidden, LONGEST_PX);
  }
}
