import { type AppRuntime, RECENTS } from './app-runtime.js';
import type { KeyboardControl } from './keyboard-control.js';
import type { Layout } from './layout.js';
import type { ScreenCore } from './screen-core.js';
import type { Shade } from './shade/shade.js';
import type { ActivityRecord } from './tasks.js';
import type { WindowManager } from './window.js';

/** Read when used: these parts need the manager themselves. */
interface LaterParts {
  layout: () => Layout;
  keyboard: () => KeyboardControl;
  apps: () => AppRuntime;
  shade: () => Shade;
  front: () => ActivityRecord | undefined;
}

/** The screen as its windows use it: where they may be, and which of their changes show. */
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
      // The recents screen shows every app a little.
      else if (record?.name === RECENTS) core.note(false);
    },
    focusChanged: () => keyboard().focusChanged(),
    openPopup: (owner, content, anchor) => apps().openPopup(owner, content, anchor),
  };
}
