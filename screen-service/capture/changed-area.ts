import type { Rectangle } from '../tree/rectangle.js';
import { bytesPerPixel, type Pixels } from './pixels.js';

/** Rows compared in one native call before single rows are looked at. */
const BAND_ROWS = 32;

/**
 * The smallest rectangle that holds every pixel that differs, below the first `skipRows` rows; undefined when none does. Pictures
 * of different size differ everywhere. An unchanged 1080x2400 screen costs about half a millisecond.
 */
export function changedArea(before: Pixels, after: Pixels, skipRows = 0): Rectangle | undefined {
  if (before === after) return undefined;
  const { width, height, layout } = after;
  if (before.width !== width || before.height !== height || before.layout !== layout) {
    return { x: 0, y: 0, width, height };
  }
  const rowBytes = width * bytesPerPixel[layout];
  const differs = (fromRow: number, toRow: number): boolean =>
    before.data.compare(after.data, fromRow * rowBytes, toRow * rowBytes, fromRow * rowBytes, toRow * rowBytes) !== 0;
  let [top, bottom] = [-1, -1];
  let [left, right] = [rowBytes, -1];
  for (let band = Math.min(skipRows, height); band < height; band += BAND_ROWS) {
    const bandEnd = Math.min(band + BAND_ROWS, height);
    if (!differs(band, bandEnd)) continue;
    for (let row = band; row < bandEnd; row++) {
      if (!differs(row, row + 1)) continue;
      if (top < 0) top = row;
      bottom = row;
      const start = row * rowBytes;
      // Only what lies outside of what is known already is looked at byte by byte.
      for (let at = 0; at < left; at++) {
        if (before.data[start + at] !== after.data[start + at]) left = at;
      }
      for (let at = rowBytes - 1; at > right; at--) {
        if (before.data[start + at] !== after.data[start + at]) right = at;
      }
    }
  }
  if (top < 0) return undefined;
  const pixelBytes = bytesPerPixel[layout];
  const x = Math.floor(left / pixelBytes);
  return { x, y: top, width: Math.floor(right / pixelBytes) - x + 1, height: bottom - top + 1 };
}
