/** Screen pixels, origin top left. */
export interface Rectangle {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export function area({ width, height }: Rectangle): number {
  return width * height;
}

export function centerOf({ x, y, width, height }: Rectangle): Point {
  return { x: Math.floor(x + width / 2), y: Math.floor(y + height / 2) };
}

export function contains({ x, y, width, height }: Rectangle, point: Point): boolean {
  return point.x >= x && point.y >= y && point.x < x + width && point.y < y + height;
}

/** Returns the common part of both; its width or height is 0 when there is none. */
export function intersection(a: Rectangle, b: Rectangle): Rectangle {
  const x = Math.max(a.x, b.x);
  const y = Math.max(a.y, b.y);
  return {
    x,
    y,
    width: Math.max(0, Math.min(a.x + a.width, b.x + b.width) - x),
    height: Math.max(0, Math.min(a.y + a.height, b.y + b.height) - y),
  };
}
