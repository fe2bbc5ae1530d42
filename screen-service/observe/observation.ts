import type { TaggedImage } from '../capture/images.js';
import type { Pixels } from '../capture/pixels.js';
import type { ScreenContent } from '../tree/elements.js';

/** What was on a screen at one moment. */
export interface Observation {
  /** Starts with obs_. */
  id: string;
  /** Wall clock, ms since the epoch. */
  observedAtMs: number;
  app: string;
  activity: string;
  /** As it is turned now. */
  screen: { width: number; height: number; rotation: number };
  /** Absent when it was not asked for. */
  picture: TaggedImage | undefined;
  /** Pixels that are known to belong to the elements; absent when the screen kept changing. */
  pixels: Pixels | undefined;
  content: ScreenContent;
  warnings: ObservationWarning[];
}

export type ObservationWarning = 'not_idle' | 'secure_window' | 'loading' | 'truncated' | 'inconsistent';

export const NOTHING_SEEN: ScreenContent = { elements: [], texts: [], truncated: false, empty: true, rotation: 0 };
