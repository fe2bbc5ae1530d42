import type { Clock } from '../../../kit/clock.js';
import type { Log } from '../../../kit/log.js';
import type { App } from '../apps/app.js';
import type { Logcat, Packages, PhoneFiles, PhoneIdentity, PhoneNetwork, Properties, Settings } from '../system.js';
import type { Drawing } from '../ui/drawing.js';

/** The parts of the phone that its screen and its apps use. Read when used: the network comes up after the display. */
export interface ScreenSystem {
  readonly identity: PhoneIdentity;
  readonly clock: Clock;
  readonly log: Log;
  /** 0 <= n < 1. */
  readonly random: () => number;
  readonly properties: Properties;
  readonly settings: Settings;
  readonly logcat: Logcat;
  readonly files: PhoneFiles;
  readonly packages: Packages;
  readonly network: PhoneNetwork;
}

export interface ScreenOptions {
  /** Shared by all phones of the process: fonts, canvases, text layouts. */
  drawing: Drawing;
  /** The phone's own apps. */
  apps: readonly App[];
}
