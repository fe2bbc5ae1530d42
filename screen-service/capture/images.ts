import { createHash } from 'node:crypto';
import type { ScreenMetrics } from '../metrics.js';
import { encodeImage, type EncodedImage, type ImageSpec } from './encode.js';
import type { Pixels } from './pixels.js';

export interface TaggedImage extends EncodedImage {
  /** Strong ETag, quotes included. */
  etag: string;
}

/**
 * Encoded images of pixels that are still around: the same image of the same pixels is made once, also for callers who ask while
 * it is being made. It goes when the pixels go.
 *
 * The ETag is a digest of the encoded bytes. Encoding is a function of pixels and format, so equal pixels have equal tags, in
 * every process; and a digest of 100 KB costs a tenth of a millisecond where one of the pixels costs several.
 */
export class Images {
  readonly #metrics: ScreenMetrics;
  readonly #made = new WeakMap<Pixels, Map<string, Promise<TaggedImage>>>();

  constructor(metrics: ScreenMetrics) {
    this.#metrics = metrics;
  }

  of(pixels: Pixels, spec: ImageSpec): Promise<TaggedImage> {
    const images = this.#made.get(pixels) ?? new Map<string, Promise<TaggedImage>>();
    this.#made.set(pixels, images);
    const key = [spec.format, spec.format === 'jpeg' ? spec.quality : '', spec.maxSizePx ?? ''].join(' ');
    let image = images.get(key);
    if (image === undefined) {
      image = this.#metrics
        .encode(spec.format, () => encodeImage(pixels, spec))
        .then((encoded) => ({ ...encoded, etag: etagOf(encoded.data) }));
      images.set(key, image);
      image.catch(() => images.delete(key));
    }
    return image;
  }
}

export function etagOf(bytes: Uint8Array): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`;
}
