import type { Foreground } from '../../phone/screen/windows.js';
import type { Frame } from '../capture/captures.js';
import type { TaggedImage } from '../capture/images.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { ScreenContent } from '../tree/elements.js';
import type { TreeDump } from '../tree/trees.js';

/** What was read of a screen at one time. */
export interface ScreenState {
  frame: Frame;
  /** Undefined: there was no time for one. */
  dump: TreeDump | undefined;
  front: Foreground;
  /** Picture, tree and app in front are of one moment: the screen was the same before and after the tree was read. */
  consistent: boolean;
}

/** What was on a screen at one moment, as callers see it. */
export interface Observation {
  /** Starts with obs_. */
  id: string;
  /** Wall clock, ms since the epoch. */
  observedAtMs: number;
  front: Foreground;
  /** As it is turned now. */
  screen: { width: number; height: number; rotation: number };
  /** Absent when it was not requested, or would show a secret. */
  picture: TaggedImage | undefined;
  /** Pixels that are known to belong to the elements; absent when the screen kept changing. */
  pixels: Pixels | undefined;
  content: ScreenContent;
  warnings: ObservationWarning[];
}

export type ObservationWarning =
  'not_idle' | 'secure_window' | 'loading' | 'truncated' | 'inconsistent' | 'picture_withheld';

export const NOTHING_SEEN: ScreenContent = { elements: [], texts: [], truncated: false, empty: true, rotation: 0 };
