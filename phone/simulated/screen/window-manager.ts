import type { Drawing } from '../ui/drawing.js';
import { type AppRuntime, RECENTS } from './app-runtime.js';
import type { Display } from './display.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Layout } from './layout.js';
import type { Shade } from './shade/shade.js';
import type { ActivityRecord } from './tasks.js';
import type { WindowManager } from './window.js';

interface WindowManagerParts {
  drawing: Drawing;
  display: Display;
  /** Read when used: the parts need the manager themselves. */
  layout: () => Layout;
  keyboard: () => KeyboardControl;
  apps: () => AppRuntime;
  shade: () => Shade;
  nowMs: () => number;
  front: () => ActivityRecord | undefined;
  changed: (eventful: boolean) => void;
}

/** The screen as its windows use it: where they may be, and who is notified of their changes. */
export function windowManager(parts: WindowManagerParts): WindowManager {
  const { drawing, display, layout, keyboard, apps, shade, nowMs, front, changed } = parts;
  return {
    drawing,
    nowMs,
    display: () => display.box,
    fontScale: () => display.fontScale,
    roomFor: (window) => layout().roomFor(window),
    coverOf: (window) => layout().coverOf(window),
    windowChanged: (window, eventful) => {
      const record = front();
      if (record?.windows.includes(window) === true || shade().window === window) changed(eventful);
      // The recents screen shows every app a little.
      else if (record?.name === RECENTS) changed(false);
    },
    focusChanged: () => keyboard().focusChanged(),
    openPopup: (owner, content, anchor) => apps().openPopup(owner, content, anchor),
  };
}
