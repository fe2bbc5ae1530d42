import { contains, type Rect } from '../ui/geometry.js';
import type { Display } from './display.js';
import type { KeyboardControl } from './keyboard-control.js';
import { NAVIGATION_HEIGHT, navigationButtonAt, STATUS_HEIGHT } from './system-bars.js';
import type { TouchRegion } from './touch-input.js';
import type { Window } from './window.js';

export interface LayoutParts {
  display: Display;
  keyboard: KeyboardControl;
  /** The window that takes fingers and keys. */
  activeWindow: () => Window | undefined;
}

/** Where bars, keyboard and windows are on the display, dp. */
export class Layout {
  readonly #parts: LayoutParts;

  constructor(parts: LayoutParts) {
    this.#parts = parts;
  }

  /** Where dialogs and messages may be. */
  get room(): Rect {
    const { width, height } = this.#parts.display.box;
    const bottom = this.#parts.keyboard.area?.top ?? height - NAVIGATION_HEIGHT;
    return { left: 0, top: STATUS_HEIGHT, width, height: bottom - STATUS_HEIGHT };
  }

  roomFor(window: Window): Rect {
    const { box } = this.#parts.display;
    if (window.kind === 'shade') return { ...box, height: box.height - NAVIGATION_HEIGHT };
    return window.kind === 'activity' ? box : this.room;
  }

  /** Returns the heights of an activity that bars and keyboard cover. */
  coverOf(window: Window): { top: number; bottom: number } {
    const { display, keyboard, activeWindow } = this.#parts;
    const keys = window === activeWindow() ? keyboard.area : undefined;
    const bars = isEdgeToEdge(window) ? { top: 0, bottom: 0 } : { top: STATUS_HEIGHT, bottom: NAVIGATION_HEIGHT };
    return { top: bars.top, bottom: keys ? display.box.height - keys.top : bars.bottom };
  }

  /** Returns the part of the screen at a point. */
  regionAt(x: number, y: number): TouchRegion {
    const { display, keyboard, activeWindow } = this.#parts;
    if (y >= display.box.height - NAVIGATION_HEIGHT) {
      return { kind: 'navigation', button: navigationButtonAt(display.box, x, y) };
    }
    const window = activeWindow();
    if (window?.kind === 'shade') return { kind: 'window', window };
    if (y < STATUS_HEIGHT) return { kind: 'status' };
    if (keyboard.covers(x, y)) return { kind: 'keyboard' };
    if (!window) return { kind: 'nothing' };
    if (window.kind === 'activity') return { kind: 'window', window };
    window.bringUp();
    return contains(window.placedRoot.box, x, y) ? { kind: 'window', window } : { kind: 'outside', window };
  }
}

function isEdgeToEdge({ root }: Window): boolean {
  return 'edgeToEdge' in root && root.edgeToEdge === true;
}
