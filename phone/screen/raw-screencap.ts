import { bytesPerPixel, type PixelLayout, type Pixels } from './pixels.js';

/** Numbers of formats in `screencap` without -p (android.graphics.PixelFormat). */
const layouts: ReadonlyMap<number, PixelLayout> = new Map([
  [1, 'rgba'],
  [2, 'rgbx'],
  [3, 'rgb'],
  [4, 'rgb565'],
  [5, 'bgra'],
]);

/** No phone's screen has a longer side, so a header with a longer one does not belong to a screenshot. */
const MAX_SIDE_PX = 16_384;

/**
 * Returns the pixels in the output of raw `screencap`: u32 width, height, format (little-endian), since Android 9 also colorspace, then the
 * rows. The length shows whether there is a colorspace. Returns undefined for any other output: warnings in front, half an output, or a
 * format without plain 8-bit channels (FP16, 1010102). The caller then uses `screencap -p`.
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
