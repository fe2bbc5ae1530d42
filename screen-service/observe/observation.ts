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
  /** The dump of the tree. Undefined: there was no time for one. */
  dump: TreeDump | undefined;
  front: Foreground;
  /** Whether picture, tree and app in front are of one moment: the screen was the same before and after the tree was read. */
  consistent: boolean;
  /**
   * Since when all pictures show the same screen, monotonic ms: the arrival of the first one, or its request where it followed an input at
   * once. Absent: not known.
   */
  stillSinceMs?: number;
  /** Where they are not of one moment: a picture from before the tree was requested. Absent: there is none, or it is not needed. */
  readAfter?: Frame;
  /** Whether the picture may show an earlier screen, as no newer picture arrived in time. Absent: false. */
  isLate?: boolean;
  /** The age of an earlier dump, which is used because no newer dump arrived in time, ms. Absent: the dump is of this reading. */
  dumpAgeMs?: number;
}

/** A screen at one moment, as callers see it. */
export interface Observation {
  /** Starts with obs_. */
  id: string;
  /** Wall clock, ms since the epoch. */
  observedAtMs: number;
  front: Foreground;
  /** The screen as it is turned now. */
  screen: { width: number; height: number; rotation: number };
  /** The picture. Undefined when it was not requested, would show a secret, or would repeat that of `pictured`. */
  picture: TaggedImage | undefined;
  /** The observation whose picture shows this screen to the caller: this one, or an earlier one. Undefined: none does. */
  pictured: { id: string; request: PictureRequest } | undefined;
  /** How old the picture was, ms; undefined where it is not late. */
  pictureAgeMs: number | undefined;
  /** How old the elements were, ms; undefined where they are not late. */
  elementsAgeMs: number | undefined;
  /** Pixels that are known to belong to the elements; absent when the screen kept changing. */
  pixels: Pixels | undefined;
  content: ScreenContent;
  /**
   * When input was last sent to the phone before the observation, monotonic ms. Undefined: the elements are late, so input may have been
   * sent after they were read.
   */
  inputSentMs: number | undefined;
  /** The latest observation that the caller got before. */
  before: RememberedObservation | undefined;
  /** Whether the caller got the elements. False: it got only an error, which names some of them. */
  shown: boolean;
  warnings: ObservationWarning[];
}

/** The part of an observation that is kept for the steps and observations that follow. */
export type RememberedObservation = Omit<Observation, 'picture' | 'before'>;

/** The picture that a caller wants. */
export interface PictureRequest {
  spec: ImageSpec;
  /** Whether boxes with the numbers of the ids are drawn around the elements. */
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
  | 'late_picture'
  | 'late_elements';

export const NOTHING_SEEN: ScreenContent = {
  elements: [],
  texts: [],
  landmarks: [],
  appPictures: [],
  truncated: false,
  empty: true,
  rotation: 0,
};
