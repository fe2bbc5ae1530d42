import type { App } from '../apps/app.js';
import type { PhoneSystem } from '../system.js';
import type { Drawing } from '../ui/drawing.js';

/** The parts of the phone that its screen and its apps use. Read when used: the network comes up after the display. */
export type ScreenSystem = Omit<PhoneSystem, 'screen' | 'faults'>;

export interface ScreenOptions {
  /** Shared by all phones of the process: fonts, canvases, text layouts. */
  drawing: Drawing;
  /** The phone's own apps. */
  apps: readonly App[];
}
