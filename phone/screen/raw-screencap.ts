import { bytesPerPixel, type PixelLayout, type Pixels } from './pixels.js';

/** Numbers of formats in `screencap` without -p (android.graphics.PixelFormat). */
const layouts: ReadonlyMap<number, PixelLayout> = new Map([
  [1, 'rgba'],
  [2, 'rgbx'],
  [3, 'rgb'],
  [4, 'rgb565'],
  [5, 'bgra'],
]);

/** No phone has a longer side; a header with one is no screenshot's. */
const MAX_SIDE_PX = 16_384;

/**
 * Pixels in the output of raw `screencap`: u32 width, height, format (little-endian), since Android 9 also colorspace, then the
 * rows. Which of the two follows from the length. Undefined when it is neither: warnings in front, half an output, or a format
 * that has no plain 8-bit channels (FP16, 1010102); then `screencap -p` is the way.
 */
export function parseRawScreencap(output: Buffer): Pixels | undefined {
  if (output.length < 12) return undefined;
  const [width, height] = [output.readUInt32LE(0), output.readUInt32LE(4)];
  const layout = layouts.get(output.readUInt32LE(8));
  if (layout === undefined || width === 0 || height === 0 || width > MAX_SIDE_PX || height > MAX_SIDE_PX)
    return undefined;
  const bytes = width * height * bytesPerPixel[layout];
  const headerBytes = output.length - bytes;
  if (headerBytes !== 12 && headerBytes !== 16) return undefined;
  return { width, height, layout, data: output.subarray(headerBytes) };
}
