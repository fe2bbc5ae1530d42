import { type Call, during } from '../../kit/call.js';
import { ApiError, type ErrorKind } from '../../kit/errors.js';
import { unlessAborted } from '../../kit/within.js';
import { allBlack } from '../../phone/screen/pixels.js';
import { NO_FOREGROUND } from '../../phone/screen/windows.js';
import type { Frame } from '../capture/captures.js';
import { hideSecretText } from '../observe/hide-secrets.js';
import { changedBelowBar, sameScreen } from '../observe/masks.js';
import type { Observation, PictureRequest, ScreenState } from '../observe/observation.js';
import { describe } from '../observe/observe.js';
import type { Sight } from '../observe/latest-observations.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { type ExpectedScreen, expectedScreen, unmetText } from './expectation.js';
import { arrivedBy, unlessItFails } from './optional-work.js';
import { performStep } from './perform-step.js';
import { settle } from './settle.js';
import { DoneInPart, hasElementTarget, type Step } from './step.js';
import type { StepContext } from './step-context.js';
import { wakeFor } from './wake-for.js';

export interface ActPlan {
  /** 1 to 20. */
  steps: Step[];
  /** Typed texts that must not show in the response. */
  secrets: readonly string[];
  settleMs: number;
  timeoutMs: number;
  /** Whether the response shows the screen. */
  observe: boolean;
  /** The picture in it; absent: elements only. */
  picture: PictureRequest | undefined;
}

export interface ActOutcome {
  /** The screen was still at the end. */
  settled: boolean;
  /** Everything that was expected came true. */
  expectMet: boolean;
  waitedMs: number;
  stepsDone: number;
  failed: Failure | undefined;
  /** Whether the screen shows something else than before; undefined when the pictures do not show it. */
  changed: boolean | undefined;
  /** The text that the last step which reads the clipboard found. */
  clipboard: string | undefined;
  /** Absent when it was not requested, or when the phone has sent no picture lately. */
  observation: Observation | undefined;
  /** What it saw of the screen on its way, for the timeline. */
  seen: ActSeen;
}

/** What an act has seen of the screen. */
export interface ActSeen {
  /** Before the first step; undefined where no picture came in time. */
  before: Frame | undefined;
  /** At the end. */
  end: ScreenState | undefined;
  /** Typed texts whose field is known, and shows them. */
  shownTexts: ReadonlySet<string>;
}

interface Failure {
  step: number;
  kind: ErrorKind;
  message: string;
}

/**
 * Kept back from the time that a caller allows, for putting the response together, ms; more where encoding a picture takes longer, as on
 * a busy machine; of a short time, a share of it at the most.
 */
const FINISH_MS = 100;
const FINISH_ENCODINGS = 2;
/** How long the first picture of a phone is taken to be encoded, ms: 4 on a quiet machine, 180 beside thirty busy programs. */
const FIRST_ENCODING_MS = 150;
const FINISH_SHARE = 0.4;

/** Share of the time that may be spent on a picture of the screen before the first step. */
const BEFORE_SHARE = 0.25;

/** An image that is not encoded by then is left out of the response, ms after the end of the time that a caller allows. */
const LATE_AT_MOST_MS = 50;

/** Kept back from the time left of the call, for the response's way to the client, ms. */
const RESPONSE_MS = 200;

/**
 * Performs the steps; waits after each until the screen is still and its expectation is met; stops at the first that fails.
 * Returns within `timeoutMs`, and before the call's own deadline, whatever the screen does. Finished steps are always reported. Throws
 * only when the first step could not begin (not_found: the target of the only step is not there; bad_request: there are several;
 * unavailable: the phone is gone), and when the client hangs up: then the running step ends, and no further one begins.
 */
export async function act(call: Call, kept: KeptPhone, plan: ActPlan, sight: Sight): Promise<ActOutcome> {
  const { clock, phone, captures, images } = kept;
  const timeoutMs = Math.max(1, Math.min(plan.timeoutMs, call.remainingMs() - RESPONSE_MS));
  const startMs = clock.monotonicMs();
  const endMs = startMs + timeoutMs;
  // Not ended with its time: where pictures take long, it may be the only one.
  const taking = unlessItFails(call, kept, captures.next(call));
  taking.catch(() => undefined);
  const [before, front] = await Promise.all([
    arrivedBy(startMs + timeoutMs * BEFORE_SHARE, call, kept, taking),
    wakeFor(call, kept, plan.steps[0]?.action, timeoutMs * BEFORE_SHARE),
  ]);
  const encodeMs = plan.picture === undefined ? 0 : (images.usualMs ?? FIRST_ENCODING_MS) * FINISH_ENCODINGS;
  const finishMs = plan.observe ? Math.min(Math.max(FINISH_MS, encodeMs), timeoutMs * FINISH_SHARE) : 0;
  const { last, shownTexts, ...run } = await runSteps(call, kept, plan, {
    sight,
    untilMs: endMs - finishMs,
    before,
    front,
  });
  if (last === undefined && captures.latest === undefined) await arrivedBy(endMs, call, kept, taking);
  const state = last ?? lateState(captures.latest);
  return {
    ...run,
    waitedMs: Math.round(clock.monotonicMs() - startMs),
    changed: hasChanged(before, state?.frame, phone.screen.density),
    observation: plan.observe && state ? await summarize(call, kept, plan, sight, state, endMs) : undefined,
    seen: { before, end: state, shownTexts },
  };
}

/** Undefined where two pictures do not show it: one is missing, or both are black, as those of secure windows are. */
function hasChanged(before: Frame | undefined, after: Frame | undefined, density: number): boolean | undefined {
  if (before === undefined || after === undefined || before === after) return undefined;
  if (allBlack(before.pixels) && allBlack(after.pixels)) return undefined;
  return !sameScreen(before.pixels, after.pixels, density);
}

interface Run extends Omit<ActOutcome, 'waitedMs' | 'changed' | 'observation' | 'seen'> {
  /** See ActSeen. */
  shownTexts: Set<string>;
  /** The screen after the last step; undefined when no picture arrived in time. */
  last: ScreenState | undefined;
}

async function runSteps(
  call: Call,
  kept: KeptPhone,
  { steps, secrets, settleMs, observe }: ActPlan,
  { sight, untilMs, before, front }: StepContext,
): Promise<Run> {
  const { clock } = kept;
  const run: Run = {
    settled: false,
    expectMet: steps.every(({ expect }) => expect === undefined),
    stepsDone: 0,
    failed: undefined,
    clipboard: undefined,
    shownTexts: new Set(),
    last: undefined,
  };
  const wait = async (
    needsTree: boolean,
    expect: ExpectedScreen | undefined,
    read?: ScreenState,
    seen?: Frame,
  ): Promise<boolean> => {
    run.last = undefined;
    run.settled = false;
    const fromMs = clock.monotonicMs();
    if (needsTree && expect === undefined && read?.consistent === true) {
      // What the step itself has read is good as long as the screen shows the same.
      const { still, state } = await settle(call, kept, { settleMs, observe: false, expect, fromMs, untilMs });
      const pixels = state?.frame.pixels;
      // Black pictures show no change.
      const isSame =
        pixels !== undefined &&
        !allBlack(pixels) &&
        changedBelowBar(read.frame.pixels, pixels, kept.phone.screen.density) === undefined;
      if (still && state !== undefined && isSame) {
        run.settled = true;
        run.last = { ...read, frame: state.frame };
        return true;
      }
    }
    const settled = await settle(call, kept, { settleMs, observe: needsTree, expect, fromMs, untilMs, seen });
    run.settled = settled.still;
    run.last = settled.state;
    return settled.expectMet;
  };
  // Steps end with the time that the caller allows; reading for the response afterwards, only with the call itself.
  let picture = before;
  await during(call, { clock, timeoutMs: untilMs - clock.monotonicMs() }, async (limited) => {
    for (const [at, step] of steps.entries()) {
      const next = steps[at + 1];
      const needsTree = next === undefined ? observe : hasElementTarget(next.action);
      try {
        if (limited.remainingMs() === 0) throw new Error('the time is up before the step');
        limited.signal.throwIfAborted();
        const expect = step.expect && (await expectedScreen(limited, kept, step.expect, sight));
        const context: StepContext = { sight, untilMs };
        context.before = recent(picture, kept);
        if (at === 0) context.front = front;
        if (at > 0) context.rested = run.last;
        const read = await performStep(limited, kept, step.action, context);
        const rested = context.rested === run.last ? undefined : context.rested;
        if (read !== undefined) run.clipboard = hideSecretText(read, [...secrets, ...kept.secrets.keys()]);
        if (context.showsText === true && step.action.kind === 'type') run.shownTexts.add(step.action.text);
        run.stepsDone++;
        // The screen is as it was: the next step finds its target as this one did.
        if (context.isIdle === true && next !== undefined && expect === undefined) {
          run.last = context.rested;
          continue;
        }
        const seen = step.action.kind === 'wait' ? context.before : undefined;
        const met = await wait(needsTree, expect, rested, seen);
        picture = run.last?.frame;
        if (!met) {
          run.stepsDone--;
          run.failed = { step: at, kind: 'timeout', message: unmet(step) };
          return;
        }
      } catch (error) {
        call.signal.throwIfAborted();
        run.failed = { step: at, ...failureOf(error, run.stepsDone, steps.length === 1, limited) };
        // The response carries the screen all the same, as it is once it has come to rest.
        await unlessItFails(call, kept, wait(observe, undefined));
        return;
      }
    }
    run.expectMet = true;
  });
  return run;
}

/** A picture for finding a target is at most this old when the search begins, ms. */
const RECENT_MS = 150;

/** The picture, where it shows the screen as it is for the next step; undefined where it is too old, or was taken before an input. */
function recent(before: Frame | undefined, { clock, inputSentMs }: KeptPhone): Frame | undefined {
  if (before === undefined || inputSentMs >= before.beganMs) return undefined;
  return clock.monotonicMs() - before.endedMs <= RECENT_MS ? before : undefined;
}

/** The error as a part of the response. Throws it when nothing was done yet, so that the caller can repeat the request. */
function failureOf(
  error: unknown,
  stepsDone: number,
  only: boolean,
  { signal, remainingMs }: Call,
): { kind: ErrorKind; message: string } {
  if (signal.aborted || remainingMs() === 0)
    return { kind: 'timeout', message: 'The time was up before this step was done. Allow more timeout_ms.' };
  if (!(error instanceof ApiError) || error.kind === 'internal') throw error;
  if (error instanceof DoneInPart) return { kind: error.kind, message: error.message };
  const sendersFault = error.kind === 'not_found' || error.kind === 'bad_request';
  if (stepsDone === 0 && (error.kind === 'unavailable' || (only && sendersFault))) throw error;
  return { kind: error.kind, message: error.message };
}

function unmet({ expect }: Step): string {
  return `The expectation of the step did not come true in time: ${expect === undefined ? 'nothing' : unmetText(expect)}.`;
}

/** The screen when no picture of it arrived after the last step: the latest that there is. */
function lateState(frame: Frame | undefined): ScreenState | undefined {
  return frame && { frame, dump: undefined, front: NO_FOREGROUND, consistent: false, isLate: true };
}

/** The observation of the screen at the end, from the state read while waiting; without the image when encoding it takes too long. */
async function summarize(
  call: Call,
  kept: KeptPhone,
  { picture, secrets }: ActPlan,
  sight: Sight,
  state: ScreenState,
  endMs: number,
): Promise<Observation> {
  const { clock } = kept;
  return during(call, { clock, timeoutMs: endMs + LATE_AT_MOST_MS - clock.monotonicMs() }, async (limited) => {
    try {
      const options = { secrets, picture, oncePerScreen: true };
      return await unlessAborted(limited.signal, describe(limited, kept, state, sight, options));
    } catch (error) {
      call.signal.throwIfAborted();
      if (!limited.signal.aborted) throw error;
      const late = { ...state, isLate: true };
      return await describe(call, kept, late, sight, { secrets, picture: undefined, late: true });
    }
  });
}
