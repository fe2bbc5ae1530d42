import sharp from 'sharp';
import { type Pixels, toChannels } from './pixels.js';

export type ImageSpec = {
  /** Longest side at the most, pixels. Absent: the screen's size. */
  maxSizePx?: number;
} & ({ format: 'png' } | { format: 'jpeg'; quality: number });

export interface EncodedImage {
  format: 'png' | 'jpeg';
  width: number;
  height: number;
  /** Picture pixels for each screen pixel, 1 or less. */
  scale: number;
  data: Buffer;
}

export const DEFAULT_JPEG_QUALITY = 80;

/**
 * PNG at level 3: level 6 takes 1.6 times as long for 5 % fewer bytes, and level 9 ten times. Screens are opaque, so alpha is
 * left out.
 */
const PNG_LEVEL = 3;

/** Must be called once before the first encode: libvips' cache only grows with images that never come again. */
export function tuneSharp(): void {
  sharp.cache(false);
  // One thread an image and several images at once do more than the reverse, and leave room for the event loop.
  sharp.concurrency(1);
}

export async function encodeImage(pixels: Pixels, spec: ImageSpec): Promise<EncodedImage> {
  const { data, channels } = toChannels(pixels);
  let image = sharp(data, { raw: { width: pixels.width, height: pixels.height, channels } });
  if (channels === 4) image = image.removeAlpha();
  const longest = Math.max(pixels.width, pixels.height);
  const scale = spec.maxSizePx === undefined || spec.maxSizePx >= longest ? 1 : spec.maxSizePx / longest;
  const width = Math.max(1, Math.round(pixels.width * scale));
  const height = Math.max(1, Math.round(pixels.height * scale));
  if (scale < 1) image = image.resize(width, height, { fit: 'fill', kernel: 'linear' });
  const encoded =
    spec.format === 'png'
      ? await image.png({ compressionLevel: PNG_LEVEL, adaptiveFiltering: false }).toBuffer()
      : await image.jpeg({ quality: spec.quality }).toBuffer();
  return { format: spec.format, width, height, scale, data: encoded };
}
