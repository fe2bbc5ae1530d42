import type { Rectangle } from '../shapes/rectangle.js';
import { bytesPerPixel, type Pixels } from '../../phone/screen/pixels.js';

/** Rows compared in one native call before single rows are compared. */
const BAND_ROWS = 32;

/**
 * Returns the smallest rectangle that holds every pixel that differs, below the first `skipRows` rows; undefined when none does. Pictures
 * of different size differ everywhere. An unchanged 1080x2400 screen costs about half a millisecond.
 */
export function changedArea(before: Pixels, after: Pixels, skipRows = 0): Rectangle | undefined {
  const y = Math.min(skipRows, after.height);
  return changedWithin(before, after, { x: 0, y, width: after.width, height: after.height - y });
}

/** Returns the smallest such rectangle within `part`. When the sizes or layouts differ, it is the whole picture. */
export function changedWithin(before: Pixels, after: Pixels, part: Rectangle): Rectangle | undefined {
  if (before === after) return undefined;
  const { width, height, layout } = after;
  if (before.width !== width || before.height !== height || before.layout !== layout) {
    return { x: 0, y: 0, width, height };
  }
  const pixelBytes = bytesPerPixel[layout];
  const rowBytes = width * pixelBytes;
  const [first, last] = [part.x * pixelBytes, Math.min(part.x + part.width, width) * pixelBytes];
  const differs = (from: number, to: number): boolean => before.data.compare(after.data, from, to, from, to) !== 0;
  const endRow = Math.min(part.y + part.height, height);
  let [top, bottom] = [-1, -1];
  let [left, right] = [last, first - 1];
  for (let band = part.y; band < endRow; band += BAND_ROWS) {
    const bandEnd = Math.min(band + BAND_ROWS, endRow);
    if (!differs(band * rowBytes, bandEnd * rowBytes)) continue;
    for (let row = band; row < bandEnd; row++) {
      const start = row * rowBytes;
      if (!differs(start + first, start + last)) continue;
      if (top < 0) top = row;
      bottom = row;
      // Only bytes outside of the area known so far are compared.
      for (let at = first; at < left; at++) {
        if (before.data[start + at] !== after.data[start + at]) left = at;
      }
      for (let at = last - 1; at > right; at--) {
        if (before.data[start + at] !== after.data[start + at]) right = at;
      }
    }
  }
  if (top < 0) return undefined;
  const x = Math.floor(left / pixelBytes);
  return { x, y: top, width: Math.floor(right / pixelBytes) - x + 1, height: bottom - top + 1 };
}
