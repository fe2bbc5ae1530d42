import { Path2D } from '@napi-rs/canvas';
import { CanvasPool } from './canvas-pool.js';
import { registerFonts } from './fonts.js';
import { icons, type IconName } from './icons.js';
import { TextLayouts } from './text-layout.js';
import { ZoneTime } from './zone-time.js';

/** Fonts, canvases and text layouts that all phones of a process share. */
export interface Drawing {
  readonly pool: CanvasPool;
  readonly text: TextLayouts;
  readonly zoneTime: ZoneTime;
  icon(name: IconName): { path: Path2D; filled: boolean };
}

export function createDrawing(): Drawing {
  registerFonts();
  const paths = new Map<IconName, { path: Path2D; filled: boolean }>();
  return {
    pool: new CanvasPool(),
    text: new TextLayouts(),
    zoneTime: new ZoneTime(),
    icon: (name) => {
      let known = paths.get(name);
      if (!known) {
        const source: string = icons[name];
        const filled = source.startsWith('F ');
        known = { path: new Path2D(filled ? source.slice(2) : source), filled };
        paths.set(name, known);
      }
      return known;
    },
  };
}
