import { picture, type ImageView } from '../../ui/image-view.js';
import type { Painter } from '../../ui/painter.js';

export const WALLPAPER_COLOR = '#1d3f66';

/** Paints four flat colours, as a picture of them has a tenth of the size of one with gradients. */
function paintWallpaper(painter: Painter, width: number, height: number): void {
  painter.fill(0, 0, width, height, WALLPAPER_COLOR);
  painter.circle(width * 0.78, height * 0.24, Math.min(width, height) * 0.16, '#f2b661');
  const ground = height * 0.62;
  painter.polygon(
    [
      [0, ground + height * 0.08],
      [width * 0.3, ground - height * 0.09],
      [width * 0.62, ground + height * 0.1],
      [width * 0.86, ground - height * 0.02],
      [width, ground + height * 0.04],
      [width, height],
      [0, height],
    ],
    '#2b5a86',
  );
  painter.polygon(
    [
      [0, ground + height * 0.2],
      [width * 0.22, ground + height * 0.13],
      [width * 0.5, ground + height * 0.22],
      [width * 0.8, ground + height * 0.12],
      [width, ground + height * 0.19],
      [width, height],
      [0, height],
    ],
    '#16324f',
  );
}

export function wallpaper(): ImageView {
  return picture({ className: 'android.view.View', width: 'fill', height: 'fill', draw: paintWallpaper });
}
