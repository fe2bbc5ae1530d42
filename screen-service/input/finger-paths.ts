import type { Point, Rectangle } from '../shapes/rectangle.js';
import type { RawEvent } from './plan-input.js';

/** Number of moves of a finger's path, and the time between two, ms. */
const MOVES = 12;
const MOVE_EVERY_MS = 25;

/** The pause between the taps of a double tap, ms. Android takes two taps for a double tap when they are 40 to 300 ms apart. */
const BETWEEN_TAPS_MS = 90;

/** How long a finger rests before it goes up, ms. It has no speed then, so a list does not scroll on. */
export const FINGER_REST_MS = 150;

/** The smallest distance between two fingers, as a share of their largest distance. Nearer fingers look like one finger. */
const NEAREST_SHARE = 0.2;

/** How far a finger goes from the middle of an area, as a share of half the area's side. So the finger stays off the edges. */
const REACH_SHARE = 0.8;

export function doubleTap(at: Point): RawEvent[] {
  const tap: RawEvent[] = [finger('down', at), finger('up', at)];
  return [...tap, { kind: 'wait', ms: BETWEEN_TAPS_MS }, ...tap];
}

/**
 * Returns the path of a finger that goes down, rests for `holdMs`, takes `moveMs` for its way, and rests for `restMs` before it goes up at
 * `to`.
 */
export function drag(
  from: Point,
  to: Point,
  {
    holdMs,
    moveMs = MOVES * MOVE_EVERY_MS,
    restMs = FINGER_REST_MS,
  }: { holdMs: number; moveMs?: number; restMs?: number },
): RawEvent[] {
  const events: RawEvent[] = [finger('down', from)];
  if (holdMs > 0) events.push({ kind: 'wait', ms: holdMs });
  for (let move = 1; move <= MOVES; move++) {
    events.push(finger('move', between(from, to, move / MOVES)), { kind: 'wait', ms: moveMs / MOVES });
  }
  return [...events, { kind: 'wait', ms: restMs }, finger('up', to)];
}

/**
 * Returns the paths of two fingers that move apart (`scale` above 1) or together, each on its side of the area's middle. A large scale
 * takes several gestures, as the area bounds the way of the fingers.
 */
export function pinch(area: Rectangle, scale: number): RawEvent[][] {
  const middle = { x: area.x + area.width / 2, y: area.y + area.height / 2 };
  const lying = area.width >= area.height;
  const far = ((lying ? area.width : area.height) / 2) * REACH_SHARE;
  const gestures = Math.max(1, Math.ceil(Math.log(Math.max(scale, 1 / scale)) / Math.log(1 / NEAREST_SHARE) - 1e-9));
  const near = far / Math.max(scale, 1 / scale) ** (1 / gestures);
  const [start, end] = scale >= 1 ? [near, far] : [far, near];
  const at = (side: 1 | -1, reach: number): Point => ({
    x: Math.round(middle.x + (lying ? side * reach : 0)),
    y: Math.round(middle.y + (lying ? 0 : side * reach)),
  });
  const both = (phase: 'down' | 'move' | 'up', reach: number): RawEvent[] => [
    finger(phase, at(-1, reach), 0),
    finger(phase, at(1, reach), 1),
  ];
  const events = [...both('down', start)];
  for (let move = 1; move <= MOVES; move++) {
    events.push(...both('move', start + ((end - start) * move) / MOVES), { kind: 'wait', ms: MOVE_EVERY_MS });
  }
  events.push(...both('up', end));
  return Array.from({ length: gestures }, () => events);
}

function between(from: Point, to: Point, part: number): Point {
  return { x: Math.round(from.x + (to.x - from.x) * part), y: Math.round(from.y + (to.y - from.y) * part) };
}

function finger(phase: 'down' | 'move' | 'up', { x, y }: Point, pointer = 0): RawEvent {
  return { kind: 'touch', phase, x, y, pointer };
}
