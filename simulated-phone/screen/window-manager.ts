import { type AppRuntime, RECENTS } from './app-runtime.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Layout } from './layout.js';
import type { ScreenCore } from './screen-core.js';
import type { Shade } from './shade.js';
import type { ActivityRecord } from './tasks.js';
import type { WindowManager } from './window.js';

/** Parts that are read only when they are used, as they need the window manager themselves. */
interface LaterParts {
  layout: () => Layout;
  keyboard: () => KeyboardControl;
  apps: () => AppRuntime;
  shade: () => Shade;
  front: () => ActivityRecord | undefined;
}

/** Returns what windows use of the screen: their places, and reports of their changes and of focus. */
export function windowManager(core: ScreenCore, parts: LaterParts): WindowManager {
  const { layout, keyboard, apps, shade, front } = parts;
  return {
    drawing: core.drawing,
    nowMs: () => core.nowMs,
    display: () => core.display.box,
    fontScale: () => core.display.fontScale,
    roomFor: (window) => layout().roomFor(window),
    coverOf: (window) => layout().coverOf(window),
    windowChanged: (window, eventful) => {
      const record = front();
      if (record?.windows.includes(window) === true || shade().window === window) core.note(eventful);
      // The recents screen shows a preview of every app.
      else if (record?.name === RECENTS) core.note(false);
    },
    focusChanged: () => keyboard().focusChanged(),
    openPopup: (owner, content, anchor) => apps().openPopup(owner, content, anchor),
  };
}
