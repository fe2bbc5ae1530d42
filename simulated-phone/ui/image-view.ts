import type { Painter } from './painter.js';
import type { IconName } from './icons.js';
import { theme } from './theme.js';
import { View, type ViewOptions } from './view.js';

export interface PictureOptions extends ViewOptions {
  draw: (painter: Painter, width: number, height: number) => void;
}

/** A picture drawn by a function. */
export class ImageView extends View {
  readonly #draw: PictureOptions['draw'];

  constructor(options: PictureOptions) {
    super({ className: 'android.widget.ImageView', ...options });
    this.#draw = options.draw;
  }

  override paintContent(painter: Painter): void {
    this.#draw(painter, this.width, this.height);
  }
}

export function picture(options: PictureOptions): ImageView {
  return new ImageView(options);
}

export interface IconOptions extends ViewOptions {
  size?: number;
  color?: string;
}

/** Returns one of the phone's icons. */
export function icon(name: IconName, { size = 24, color = theme.textSoft, ...options }: IconOptions = {}): ImageView {
  return new ImageView({
    ...options,
    width: size,
    height: size,
    draw: (painter) => painter.icon(name, 0, 0, size, color),
  });
}

/** Returns an icon or a letter in a coloured disc, as in lists of people and settings. */
export function badge(
  what: { icon: IconName } | { letter: string },
  {
    size = 40,
    color = theme.primarySoft,
    ink = theme.onPrimarySoft,
  }: { size?: number; color?: string; ink?: string } = {},
): ImageView {
  return new ImageView({
    width: size,
    height: size,
    draw: (painter) => {
      painter.circle(size / 2, size / 2, size / 2, color);
      if ('letter' in what) painter.label(what.letter, size / 2, size / 2, size * 0.45, 500, ink);
      else painter.icon(what.icon, size * 0.23, size * 0.23, size * 0.54, ink);
    },
  });
}
