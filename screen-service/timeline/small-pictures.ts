import { begunAhead } from '../../kit/async/begun-ahead.js';
import { encodeSmall } from '../capture/encode.js';
import { hideSecretPixels } from '../secrets/hide-secrets.js';
import { allBlack, type Pixels } from '../../phone/screen/pixels.js';
import type { ScreenContent } from '../tree/elements.js';

/** Longest side of a picture in a timeline, px. Part of the contract. */
const MAX_SIDE_PX = 480;

/** The knowledge of a picture's content, by which secrets are found in it. */
export interface Shown {
  /** Elements of the picture's own moment, without the secrets. Undefined: not known. */
  content: ScreenContent | undefined;
  /** Whether there are secrets that it may show. */
  maySecretsShow: boolean;
}

/**
 * Makes the pictures of timelines. The picture after one step is mostly the picture before the next one. A picture that was made of the
 * same pixels is used again, with the same parts hidden.
 */
export class SmallPictures {
  readonly #made = new WeakMap<Pixels, Promise<Buffer | undefined>>();

  /** Returns a picture of the screen before a step, whose elements are seldom known. */
  before(pixels: Pixels, shown: Shown): Promise<Buffer | undefined> {
    return this.#made.get(pixels) ?? this.after(pixels, shown);
  }

  /**
   * Returns a picture of the screen after a step. Undefined for a secure window, whose picture is black. Undefined also where the picture
   * may show a secret, but there are no elements of its moment to show where.
   */
  after(pixels: Pixels, { content, maySecretsShow }: Shown): Promise<Buffer | undefined> {
    const made = begunAhead(this.#make(pixels, content, maySecretsShow));
    this.#made.set(pixels, made);
    return made;
  }

  async #make(
    pixels: Pixels,
    content: ScreenContent | undefined,
    maySecretsShow: boolean,
  ): Promise<Buffer | undefined> {
    if (allBlack(pixels) || (content === undefined && maySecretsShow)) return undefined;
    const options = { withApps: maySecretsShow, withPasswords: true };
    const hidden = content === undefined ? pixels : hideSecretPixels(pixels, content, options);
    return encodeSmall(hidden, MAX_SIDE_PX);
  }
}
