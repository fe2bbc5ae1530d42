import { changedArea, changedWithin } from '../capture/changed-area.js';
import { bytesPerPixel, isOneColour, type Pixels } from '../../phone/screen/pixels.js';
import type { Rectangle } from '../shapes/rectangle.js';

/** Height of the status bar, in which a clock and icons change on their own. Material's figure; notches make it higher. */
const STATUS_BAR_DP = 24;

/** A text caret is a bar of at most this size (2 dp wide as Android draws it, and one line of large text high). */
const CARET_WIDTH_DP = 3;
const MIN_CARET_HEIGHT_DP = 8;
const MAX_CARET_HEIGHT_DP = 48;

/** Rows at the top that do not count when two pictures are compared. */
export function statusBarRows(density: number): number {
  return Math.ceil((STATUS_BAR_DP * density) / 160);
}

/** Returns where two pictures differ below the status bar; undefined when they are the same there. */
export function changedBelowBar(before: Pixels, after: Pixels, density: number): Rectangle | undefined {
  return changedArea(before, after, statusBarRows(density));
}

/** Whether a change has the shape of a caret that was shown or hidden. */
export function looksLikeCaret({ width, height }: Rectangle, density: number): boolean {
  const dp = density / 160;
  return width <= CARET_WIDTH_DP * dp && height >= MIN_CARET_HEIGHT_DP * dp && height <= MAX_CARET_HEIGHT_DP * dp;
}

/** Whether two pictures show the same, except for the status bar and a blinking caret. */
export function sameScreen(before: Pixels, after: Pixels, density: number): boolean {
  const changed = changedBelowBar(before, after, density);
  return changed === undefined || looksLikeCaret(changed, density);
}

/**
 * Whether the rows of a part of the screen show the same in two pictures, except for a blinking caret. False for rows of one colour, as in
 * the black picture of a secure window: they show no change, whatever the elements there do.
 */
export function sameRows(before: Pixels, after: Pixels, { y, height }: Rectangle, density: number): boolean {
  const rowBytes = before.width * bytesPerPixel[before.layout];
  const data = before.data.subarray(y * rowBytes, (y + height) * rowBytes);
  if (isOneColour({ data, layout: before.layout })) return false;
  const changed = changedWithin(before, after, { x: 0, y, width: before.width, height });
  return changed === undefined || looksLikeCaret(changed, density);
}
