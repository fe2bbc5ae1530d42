import { contains, type Rect } from '../ui/geometry.js';
import type { Painter } from '../ui/painter.js';

/** dp. */
export const STATUS_HEIGHT = 28;
export const NAVIGATION_HEIGHT = 44;

export type NavigationButton = 'back' | 'home' | 'recents';

export interface BarColors {
  /** The colour of the background. Undefined: it is transparent. */
  background: string | undefined;
  ink: string;
}

export interface Status {
  time: string;
  wifi: boolean;
  /** 0 to 100. */
  battery: number;
}

export function paintStatusBar(painter: Painter, width: number, status: Status, colors: BarColors): void {
  if (colors.background !== undefined) painter.fill(0, 0, width, STATUS_HEIGHT, colors.background);
  const middle = STATUS_HEIGHT / 2;
  painter.run(status.time, 18, middle + 4.6, 13, 500, colors.ink);
  const right = width - 16;
  const text = `${status.battery}%`;
  const textWidth = painter.drawing.text.width(text, 12, 500);
  painter.run(text, right - textWidth, middle + 4.3, 12, 500, colors.ink);
  const battery = right - textWidth - 14;
  painter.fill(battery + 2.5, middle - 7, 4, 2, colors.ink);
  painter.outline(battery, middle - 5.5, 9, 12.5, colors.ink, 1.2, 2);
  const level = (9 * status.battery) / 100;
  painter.fill(battery + 2, middle + 5.2 - level, 5, level, colors.ink);
  if (status.wifi) painter.icon('wifi', battery - 21, middle - 7.5, 15, colors.ink);
  else painter.icon('offline', battery - 21, middle - 7.5, 15, colors.ink);
}

export function paintNavigationBar(painter: Painter, display: Rect, colors: BarColors, keyboardUp: boolean): void {
  const top = display.height - NAVIGATION_HEIGHT;
  if (colors.background !== undefined) painter.fill(0, top, display.width, NAVIGATION_HEIGHT, colors.background);
  const middle = top + NAVIGATION_HEIGHT / 2;
  const [back, home, recents] = centers(display.width);
  painter.icon(keyboardUp ? 'down' : 'back', back - 10, middle - 10, 20, colors.ink, 2.2);
  painter.arc(home, middle, 7.5, 0, 1, colors.ink, 1.9);
  painter.outline(recents - 7, middle - 7, 14, 14, colors.ink, 1.9, 2.5);
}

export function navigationButtonAt(display: Rect, x: number, y: number): NavigationButton | undefined {
  const top = display.height - NAVIGATION_HEIGHT;
  const names = ['back', 'home', 'recents'] as const;
  const half = display.width / 8;
  const at = centers(display.width).findIndex((center) =>
    contains({ left: center - half, top, width: 2 * half, height: NAVIGATION_HEIGHT }, x, y),
  );
  return names[at];
}

function centers(width: number): [number, number, number] {
  return [width * 0.22, width * 0.5, width * 0.78];
}
