import sharp, { type Sharp } from 'sharp';
import { MAX_SCREEN_PIXELS } from '../limits.js';
import { type Pixels, toChannels } from '../../phone/screen/pixels.js';

export type ImageSpec = {
  /** Longest side, pixels; larger screens are scaled down. Absent: the screen's size. */
  maxSizePx?: number;
} & ({ format: 'png' } | { format: 'jpeg'; quality: number });

export function png(maxSizePx: number | undefined): ImageSpec {
  return { format: 'png', ...(maxSizePx !== undefined && { maxSizePx }) };
}

export function jpeg(quality: number, maxSizePx: number | undefined): ImageSpec {
  return { format: 'jpeg', quality, ...(maxSizePx !== undefined && { maxSizePx }) };
}

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
  // With one thread each, several images at the same time take less time in total. They also leave time for the event loop.
  sharp.concurrency(1);
}

export async function encodePixels(pixels: Pixels, spec: ImageSpec): Promise<EncodedImage> {
  const { data, channels } = toChannels(pixels);
  const image = sharp(data, { raw: { width: pixels.width, height: pixels.height, channels } });
  return encode(channels === 4 ? image.removeAlpha() : image, pixels, spec);
}

/** Quality and effort of WebP in timelines: texts can be read, and a screen takes a few milliseconds and some 10 KB. */
const SMALL = { quality: 60, effort: 1 };

/** A small picture as WebP, with a longest side of at most `maxSidePx`. */
export async function encodeSmall(pixels: Pixels, maxSidePx: number): Promise<Buffer> {
  const { data, channels } = toChannels(pixels);
  const { width, height } = scaled(pixels, maxSidePx);
  const image = sharp(data, { raw: { width: pixels.width, height: pixels.height, channels } });
  const opaque = channels === 4 ? image.removeAlpha() : image;
  return opaque.resize(width, height, { fit: 'fill', kernel: 'linear' }).webp(SMALL).toBuffer();
}

/** Encodes a phone's JPEG of quality `madeWith` again; returns it as it is when it fits `spec`. Throws when it is larger than any screen. */
export async function recodeJpeg(
  { jpeg, quality: madeWith, ...size }: { jpeg: Buffer; quality: number; width: number; height: number },
  spec: ImageSpec,
): Promise<EncodedImage> {
  const { scale } = scaled(size, spec.maxSizePx);
  if (spec.format === 'jpeg' && spec.quality === madeWith && scale === 1) {
    return { format: 'jpeg', ...size, scale, data: jpeg };
  }
  return encode(sharp(jpeg, { limitInputPixels: MAX_SCREEN_PIXELS, failOn: 'error' }), size, spec);
}

async function encode(image: Sharp, size: { width: number; height: number }, spec: ImageSpec): Promise<EncodedImage> {
  const { scale, width, height } = scaled(size, spec.maxSizePx);
  if (scale < 1) image = image.resize(width, height, { fit: 'fill', kernel: 'linear' });
  const data =
    spec.format === 'png'
      ? await image.png({ compressionLevel: PNG_LEVEL, adaptiveFiltering: false }).toBuffer()
      : await image.jpeg({ quality: spec.quality }).toBuffer();
  return { format: spec.format, width, height, scale, data };
}

/** The size of a picture whose longest side is at most `maxSizePx`. */
function scaled({ width, height }: { width: number; height: number }, maxSizePx = Infinity) {
  const scale = Math.min(1, maxSizePx / Math.max(width, height));
  const side = (px: number): number => Math.max(1, Math.round(px * scale));
  return { scale, width: side(width), height: side(height) };
}
