import { contains, type Rect } from '../ui/geometry.js';
import type { Display } from './display.js';
import type { KeyboardControl } from './keyboard-control.js';
import { NAVIGATION_HEIGHT, navigationButtonAt, STATUS_HEIGHT, type NavigationButton } from './system-bars.js';
import type { Window } from './window.js';

/** The part of the screen under a finger. */
export type TouchRegion =
  | { kind: 'keyboard' }
  /** The status bar, from which the shade is pulled down. */
  | { kind: 'status' }
  | { kind: 'navigation'; button: NavigationButton | undefined }
  | { kind: 'window'; window: Window }
  /** The part beside a dialog or a list. */
  | { kind: 'outside'; window: Window }
  | { kind: 'nothing' };

/** The places of bars, keyboard and windows on the display, dp. */
export class Layout {
  readonly #display: Display;
  readonly #keyboard: KeyboardControl;
  readonly #activeWindow: () => Window | undefined;

  /** `activeWindow` returns the window that takes fingers and keys. */
  constructor(display: Display, keyboard: KeyboardControl, activeWindow: () => Window | undefined) {
    this.#display = display;
    this.#keyboard = keyboard;
    this.#activeWindow = activeWindow;
  }

  /** The part of the display where dialogs and messages may be. */
  get room(): Rect {
    const { width, height } = this.#display.box;
    const bottom = this.#keyboard.area?.top ?? height - NAVIGATION_HEIGHT;
    return { left: 0, top: STATUS_HEIGHT, width, height: bottom - STATUS_HEIGHT };
  }

  roomFor(window: Window): Rect {
    const { box } = this.#display;
    if (window.kind === 'shade') return { ...box, height: box.height - NAVIGATION_HEIGHT };
    return window.kind === 'activity' ? box : this.room;
  }

  /** Returns how much of an activity the bars and the keyboard cover at its top and bottom, dp. */
  coverOf(window: Window): { top: number; bottom: number } {
    const keys = window === this.#activeWindow() ? this.#keyboard.area : undefined;
    const bars = isEdgeToEdge(window) ? { top: 0, bottom: 0 } : { top: STATUS_HEIGHT, bottom: NAVIGATION_HEIGHT };
    return { top: bars.top, bottom: keys ? this.#display.box.height - keys.top : bars.bottom };
  }

  /** Returns the part of the screen at a point. */
  regionAt(x: number, y: number): TouchRegion {
    if (y >= this.#display.box.height - NAVIGATION_HEIGHT) {
      return { kind: 'navigation', button: navigationButtonAt(this.#display.box, x, y) };
    }
    const window = this.#activeWindow();
    if (window?.kind === 'shade') return { kind: 'window', window };
    if (y < STATUS_HEIGHT) return { kind: 'status' };
    if (this.#keyboard.covers(x, y)) return { kind: 'keyboard' };
    if (!window) return { kind: 'nothing' };
    if (window.kind === 'activity') return { kind: 'window', window };
    window.bringUp();
    return contains(window.placedRoot.box, x, y) ? { kind: 'window', window } : { kind: 'outside', window };
  }
}

function isEdgeToEdge({ root }: Window): boolean {
  return 'edgeToEdge' in root && root.edgeToEdge === true;
}
