import type { App } from '../apps/app.js';
import type { PhoneSystem } from '../system/system.js';
import type { Drawing } from '../ui/drawing.js';

/**
 * The parts of the phone that its screen and its apps use. Read a part only when it is needed. The network, for example, does not exist yet
 * when the screen is created.
 */
export type ScreenSystem = Omit<PhoneSystem, 'screen' | 'faults'>;

export interface ScreenOptions {
  /** Fonts, canvases and text layouts, which all phones of the process share. */
  drawing: Drawing;
  /** The phone's own apps. */
  apps: readonly App[];
}
