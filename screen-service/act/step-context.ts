import type { Foreground } from '../../phone/screen/windows.js';
import type { Frame } from '../capture/captures.js';
import type { Sight } from '../observe/latest-observations.js';
import type { ScreenState } from '../observe/observation.js';

/** The part of a request that a step may use, beside the phone. */
export interface StepContext {
  /** The caller's latest observation. */
  sight: Sight;
  /** When the time of all steps is up, monotonic ms. */
  untilMs: number;
  /** A picture that was taken for this step or at the end of the one before, before anything of this one was done. Absent: none. */
  before?: Frame | undefined;
  /** The app in front, read beside that picture. Absent: it was not read. */
  front?: Foreground | undefined;
  /**
   * The last reading of the screen at rest: by the step before this one, or by this step, which stores its reading here for the next
   * step. Absent: there is none.
   */
  rested?: ScreenState | undefined;
  /** Set by a step that had nothing to do: it has sent no input. Absent: false. */
  isIdle?: boolean;
  /** Set by typing into a target that was found as a text field without a password. Absent: it is not known. */
  showsText?: boolean;
}
