import sharp from 'sharp';
import { MAX_SCREEN_PIXELS } from '../limits.js';
import type { Pixels } from '../../phone/screen/pixels.js';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const END = Buffer.from('IEND');

/**
 * Finds the PNG in the output of `screencap -p`: phones with several displays print a warning before it, and some print text after it.
 * Undefined when there is none.
 */
export function findPng(output: Buffer): Buffer | undefined {
  const start = output.indexOf(SIGNATURE);
  if (start < 0) return undefined;
  const end = output.indexOf(END, start);
  // The chunk's name is followed by its checksum, four bytes.
  return end < 0 || end + 8 > output.length ? undefined : output.subarray(start, end + 8);
}

/** Decodes a PNG. Throws when it cannot be decoded or is larger than any screen. */
export async function decodePng(png: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(png, { limitInputPixels: MAX_SCREEN_PIXELS, failOn: 'error' })
    .removeAlpha()
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`a screenshot of ${info.channels} channels`);
  return { width: info.width, height: info.height, layout: 'rgb', data };
}
