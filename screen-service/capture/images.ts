import { begunAhead } from '../../kit/async/begun-ahead.js';
import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../kit/async/clock.js';
import type { EncodedImage, ImageSpec } from './encode.js';
import { UsualTime } from '../link/usual-time.js';

export interface TaggedImage extends EncodedImage {
  /** Strong ETag, quotes included. */
  etag: string;
}

/** Images kept of one source. A screen that stays the same is one source for hours, and callers choose size and quality. */
const MAX_IMAGES = 16;

/**
 * Holds the encoded images of sources (pixels, pushed frames) that are still in use. The same image of the same source is made once, even
 * for callers that come while it is being made. It is released with its source.
 *
 * The ETag is a digest of the encoded bytes. Encoding is a function of pixels and format, so equal pixels have equal tags, in every
 * process. A digest of 100 KB costs a tenth of a millisecond; one of the pixels would cost several.
 */
export class Images<Source extends object> {
  readonly #encode: (source: Source, spec: ImageSpec) => Promise<EncodedImage>;
  readonly #usual = new UsualTime();
  readonly #clock: Clock;
  readonly #made = new WeakMap<Source, LRUCache<string, Promise<TaggedImage>>>();

  constructor(clock: Clock, encode: (source: Source, spec: ImageSpec) => Promise<EncodedImage>) {
    this.#clock = clock;
    this.#encode = encode;
  }

  /** The time that an image has taken lately, ms; undefined before the first. */
  get usualMs(): number | undefined {
    return this.#usual.ms;
  }

  of(source: Source, spec: ImageSpec): Promise<TaggedImage> {
    const images = this.#made.get(source) ?? new LRUCache<string, Promise<TaggedImage>>({ max: MAX_IMAGES });
    this.#made.set(source, images);
    const key = [spec.format, spec.format === 'jpeg' ? spec.quality : '', spec.maxSizePx ?? ''].join(' ');
    let image = images.get(key);
    if (image === undefined) {
      const beganMs = this.#clock.monotonicMs();
      image = begunAhead(
        this.#encode(source, spec).then((encoded) => {
          this.#usual.add(this.#clock.monotonicMs() - beganMs);
          return { ...encoded, etag: etagOf(encoded.data) };
        }),
      );
      images.set(key, image);
      image.catch(() => images.delete(key));
    }
    return image;
  }
}

function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}
