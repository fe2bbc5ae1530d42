import type { Point } from '../../shapes/rectangle.js';

/** How long a long press lasts, ms. Android's own limit is 400 to 500; slow phones deliver late. */
const LONG_PRESS_MS = 800;

export const DEFAULT_SWIPE_MS = 300;

export type SwipeDirection = 'up' | 'down' | 'left' | 'right';

/** Commands for the phone's `input`. */
export function tapCommand({ x, y }: Point): string {
  return `input tap ${x} ${y}`;
}

export function longPressCommand({ x, y }: Point): string {
  return `input swipe ${x} ${y} ${x} ${y} ${LONG_PRESS_MS}`;
}

export function swipeCommand(from: Point, to: Point, durationMs: number): string {
  return `input swipe ${from.x} ${from.y} ${to.x} ${to.y} ${durationMs}`;
}

export function keyCommand(...codes: number[]): string {
  return `input keyevent ${codes.join(' ')}`;
}

/** Apps take a key that is held for this long as a long press, ms. */
const HELD_KEY_MS = 500;

/**
 * Holds a key, or several together. Since Android 14, the command takes the time for which a single key is held. Older versions have one
 * fixed long press.
 */
export function holdCommand(codes: readonly number[], holdMs: number): string {
  const keys = codes.join(' ');
  if (codes.length > 1) return `input keycombination ${holdMs > 0 ? `-t ${holdMs} ` : ''}${keys}`;
  if (holdMs < HELD_KEY_MS) return `input keyevent ${keys}`;
  return (
    `if input 2>&1 | grep -q -e --duration; then input keyevent --duration ${holdMs} ${keys}; ` +
    `else input keyevent --longpress ${keys}; fi`
  );
}
