import type { Foreground } from '../../phone/screen/windows.js';
import type { Frame } from '../capture/captures.js';
import type { ImageSpec } from '../capture/encode.js';
import type { TaggedImage } from '../capture/images.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { ScreenContent } from '../tree/elements.js';
import type { TreeDump } from '../tree/tree-source.js';

/** A screen as it was read at one time. */
export interface ScreenState {
  frame: Frame;
  /** Undefined: there was no time for one. */
  dump: TreeDump | undefined;
  front: Foreground;
  /** Picture, tree and app in front are of one moment: the screen was the same before and after the tree was read. */
  consistent: boolean;
  /** The picture may be of an earlier screen, as there was no other in time. Absent: false. */
  isLate?: boolean;
}

/** A screen at one moment, as callers see it. */
export interface Observation {
  /** Starts with obs_. */
  id: string;
  /** Wall clock, ms since the epoch. */
  observedAtMs: number;
  front: Foreground;
  /** As it is turned now. */
  screen: { width: number; height: number; rotation: number };
  /** Absent when it was not requested, would show a secret, or would repeat the one of `pictured`. */
  picture: TaggedImage | undefined;
  /** The observation whose picture shows this screen to the caller: this one, or an earlier one. Undefined: none does. */
  pictured: { id: string; request: PictureRequest } | undefined;
  /** How old the picture was, ms; undefined where it is not late. */
  pictureAgeMs: number | undefined;
  /** Pixels that are known to belong to the elements; absent when the screen kept changing. */
  pixels: Pixels | undefined;
  content: ScreenContent;
  /** The caller's observation before, from which elements have kept their ids. */
  before: RememberedObservation | undefined;
  /** Whether the caller got the elements; false: it knows of some of them by an error that names them. */
  shown: boolean;
  warnings: ObservationWarning[];
}

/** The part of an observation that is kept for the steps and observations that follow. */
export type RememberedObservation = Omit<Observation, 'picture' | 'before'>;

/** The picture that a caller wants. */
export interface PictureRequest {
  spec: ImageSpec;
  /** Boxes with the numbers of the ids are drawn around the elements. */
  marks: boolean;
}

export type ObservationWarning =
  | 'not_idle'
  | 'secure_window'
  | 'screen_off'
  | 'loading'
  | 'truncated'
  | 'inconsistent'
  | 'picture_withheld'
  | 'late_picture';

export const NOTHING_SEEN: ScreenContent = {
  elements: [],
  texts: [],
  landmarks: [],
  appPictures: [],
  truncated: false,
  empty: true,
  rotation: 0,
};
