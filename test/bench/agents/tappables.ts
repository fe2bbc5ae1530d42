interface Point {
  x: number;
  y: number;
}

/** A rectangle on the screen that takes taps. */
export interface Tappable {
  holds(point: Point): boolean;
}

/** Tappable nodes of a dump of uiautomator: clickable, long-clickable, checkable ones and fields, with an area. */
export function tappablesOf(dump: string): Tappable[] {
  return [...dump.matchAll(/<node ([^>]*)>/g)].flatMap(([, attributes = '']) => {
    const value = (name: string): string => new RegExp(`(?:^| )${name}="([^"]*)"`).exec(attributes)?.[1] ?? '';
    const takesTaps = ['clickable', 'long-clickable', 'checkable'].some((name) => value(name) === 'true');
    const [left = 0, top = 0, right = 0, bottom = 0] = (value('bounds').match(/-?\d+/g) ?? []).map(Number);
    if (!takesTaps || right <= left || bottom <= top) return [];
    return [{ holds: ({ x, y }: Point) => x >= left && x <= right && y >= top && y <= bottom }];
  });
}

/** Where a text says that elements are: `@x,y` (their center), or `at=x,y size=WxH`. */
export function placesIn(text: string): Point[] {
  const centers = [...text.matchAll(/ @(-?\d+),(-?\d+)/g)].map(([, x, y]) => ({ x: Number(x), y: Number(y) }));
  const corners = [...text.matchAll(/ at=(-?\d+),(-?\d+) size=(\d+)x(\d+)/g)].map((found) => {
    const [x = 0, y = 0, width = 0, height = 0] = found.slice(1).map(Number);
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  });
  return [...centers, ...corners];
}
