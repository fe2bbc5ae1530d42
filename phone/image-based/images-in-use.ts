import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Log } from '../../kit/log/log.js';
import type { EngineImages, FoundPhones, PhoneOfImage } from './engine.js';
import type { KeptPhones } from './kept-phones.js';
import type { PhoneFolders } from './phone-folders.js';

export interface ImagesInUseOptions {
  /** Absent: the engine loses no image. */
  images: EngineImages | undefined;
  folders: PhoneFolders;
  /** Copies of phones that get another image, and may go back to their old one. */
  kept: Pick<KeptPhones, 'list'>;
  log: Log;
}

/** Keeps the images of phones that exist or are being made, and lets the engine give up the others. */
export class ImagesInUse {
  readonly #options: ImagesInUseOptions;
  /** Phones whose image was fetched, and whose folder is not there yet. */
  readonly #making = new Set<PhoneOfImage>();
  /** The newest comparison of images with phones, and the comparison that has not begun. */
  #last: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;

  constructor(options: ImagesInUseOptions) {
    this.#options = options;
  }

  /** Runs `make`, which creates the folder of `phone`. The image of the phone is kept meanwhile. */
  async whileMaking(phone: PhoneOfImage, make: () => Promise<void>): Promise<void> {
    this.#making.add(phone);
    try {
      await make();
    } finally {
      this.#making.delete(phone);
    }
  }

  /**
   * Compares the images with the phones that exist. A failure costs only disk, or shows when a phone is started. The next deletion or start
   * of the service tries again. Never throws.
   */
  compare(): Promise<void> {
    // All deletions that wait share one comparison.
    this.#next ??= begunAhead(
      this.#last.then(() => {
        this.#next = undefined;
        return this.#compareNow();
      }),
    );
    this.#last = this.#next;
    return this.#next;
  }

  /** Never throws. */
  async #compareNow(): Promise<void> {
    const { images, log } = this.#options;
    if (images === undefined) return;
    try {
      await images.keep(() => this.#findPhones());
    } catch (error) {
      log.warn({ err: error }, 'the images of phones could not be compared with the phones');
    }
  }

  /** Returns the phones that exist, are being made, or may go back to an earlier image. A phone whose description is damaged is left out, and `complete` is false then. */
  async #findPhones(): Promise<FoundPhones> {
    const { folders, kept } = this.#options;
    // The copies are listed before and after the folders, as one appears, or vanishes, when its phone gets another image meanwhile.
    const copies = await kept.list();
    // This copy is made before the folders are listed. It has each phone whose folder appears while they are read.
    const making = [...this.#making];
    const read = await Promise.allSettled((await folders.list()).map((phoneId) => folders.describe(phoneId)));
    copies.push(...(await kept.list()));
    const found = read.flatMap((one) => (one.status === 'fulfilled' && one.value !== undefined ? [one.value] : []));
    return {
      phones: [...found, ...copies, ...new Set([...making, ...this.#making])],
      complete: read.every(({ status }) => status === 'fulfilled'),
    };
  }
}
