/** A rectangle, in dp unless a name ends in px. */
export interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Insets {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

/** One number for all sides, `[vertical, horizontal]` or `[top, right, bottom, left]`. */
export type InsetsLike = number | readonly [number, number] | readonly [number, number, number, number];

const NONE: Insets = { top: 0, right: 0, bottom: 0, left: 0 };

export function insets(like: InsetsLike | undefined): Insets {
  if (like === undefined) return NONE;
  if (typeof like === 'number') return { top: like, right: like, bottom: like, left: like };
  if (like.length === 2) return { top: like[0], right: like[1], bottom: like[0], left: like[1] };
  return { top: like[0], right: like[1], bottom: like[2], left: like[3] };
}

export function intersect(a: Rect, b: Rect): Rect {
  const left = Math.max(a.left, b.left);
  const top = Math.max(a.top, b.top);
  const right = Math.min(a.left + a.width, b.left + b.width);
  const bottom = Math.min(a.top + a.height, b.top + b.height);
  return { left, top, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
}

export function contains(rect: Rect, x: number, y: number): boolean {
  return x >= rect.left && y >= rect.top && x < rect.left + rect.width && y < rect.top + rect.height;
}

export function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

/** Alignment within a larger space. */
export type Gravity = 'start' | 'center' | 'end';
