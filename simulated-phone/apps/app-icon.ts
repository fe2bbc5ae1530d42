import type { IconName } from '../ui/icons.js';
import type { Painter } from '../ui/painter.js';

/** A launcher icon: a rounded square with one sign on it. */
export function appIcon(color: string, sign: IconName, ink = '#ffffff'): (painter: Painter, size: number) => void {
  return (painter, size) => {
    painter.fill(0, 0, size, size, color, size * 0.28);
    const inner = size * 0.54;
    painter.icon(sign, (size - inner) / 2, (size - inner) / 2, inner, ink, 1.9);
  };
}
