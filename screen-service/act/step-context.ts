import type { InputSender } from '../../kit/call/call.js';
import type { Foreground } from '../../phone/screen/windows.js';
import type { Frame } from '../capture/captures.js';
import type { LastObservation } from '../observe/last-observations.js';
import type { ScreenState } from '../observe/observation.js';
import type { Point } from '../shapes/rectangle.js';
import type { ScreenElement } from '../tree/elements.js';

/** The part of a request that a step may use, beside the phone. */
export interface StepContext {
  /** The caller's latest observation. */
  readonly lastObservation: LastObservation;
  /** Secrets of all steps, which no text of the response may show. */
  readonly secrets: readonly string[];
  /** The secrets of this step and of the steps before it. They are hidden on the screen even where they are too short to be remembered. */
  readonly typedSecrets: readonly string[];
  /** When the time of all steps is up, monotonic ms. */
  readonly untilMs: number;
  /** How long an element that is named by its words is waited for, ms; never beyond `untilMs`. */
  readonly waitMs: number;
  /** A picture from before this step did anything, such as the last picture of the step before. Absent: there is none. */
  readonly before?: Frame | undefined;
  /** The app in front, read beside that picture. Absent: it was not read. */
  readonly front?: Foreground | undefined;
  /** The last reading of the screen at rest, by the step before this one. Absent: there is none. */
  readonly rested?: ScreenState | undefined;
  /** Whether the press is to focus a field. Then the container of a field may be pressed too. Absent: false. */
  readonly forField?: boolean;
  readonly progress: StepProgress;
}

/** What a step has done so far. It is reported also when the step fails in the middle. */
export interface StepProgress {
  /** Counts the input of the step. */
  sender: InputSender;
  /** The acts of the step, which explain later why the screen changed; see OwnSteps. */
  done: { typed: string[]; pressed: ScreenElement[]; strokes: (Point | undefined)[] };
  /** A sentence for the error when the time is up: what the step has done, or what it waits for. Absent: nothing. */
  soFar?: string;
}

export function beginStep(lastObservation: LastObservation): StepProgress {
  return { sender: { by: lastObservation, sent: 0 }, done: { typed: [], pressed: [], strokes: [] } };
}

/** The result of a step, for the response and for the step after it. */
export interface StepResult {
  /** The text of the clipboard, without secrets. Absent: the step does not read it. */
  clipboard?: string;
  /** The typed text, if its field is known to show it, as a text field does that is not for a password. Absent: not known. */
  shownText?: string;
  /** The screen at rest, if the step itself has read it after its last input. Absent: the step has not read it. */
  rested?: ScreenState | undefined;
  /** Package of the app that the step has opened. Absent: it opens none. */
  openedApp?: string;
  /** Whether the step had nothing to do, and has sent no input. Absent: false. */
  isIdle?: boolean;
}
