import type { Point, Rectangle } from '../tree/rectangle.js';

/** How long a long press lasts, ms. Android's own limit is 400 to 500; slow phones deliver late. */
const LONG_PRESS_MS = 800;

/** Share of the way across that a swipe by direction goes; it stays off the edges, which belong to the system's gestures. */
const SWIPE_SHARE = 0.6;

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

/** The way of a finger across the middle of `area`. */
export function swipeAcross(area: Rectangle, direction: SwipeDirection): { from: Point; to: Point } {
  const middle = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
  const [dx, dy] = {
    up: [0, -1],
    down: [0, 1],
    left: [-1, 0],
    right: [1, 0],
  }[direction] as [number, number];
  const [reachX, reachY] = [(area.width * SWIPE_SHARE) / 2, (area.height * SWIPE_SHARE) / 2];
  const at = (sign: number): Point => ({
    x: Math.round(middle.x + sign * dx * reachX),
    y: Math.round(middle.y + sign * dy * reachY),
  });
  return { from: at(-1), to: at(1) };
}
