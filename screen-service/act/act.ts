import { type Call, during } from '../../kit/call.js';
import { ApiError, type ErrorKind } from '../../kit/errors.js';
import { unlessAborted } from '../../kit/within.js';
import { allBlack } from '../../phone/screen/pixels.js';
import { NO_FOREGROUND } from '../../phone/screen/windows.js';
import type { Frame } from '../capture/captures.js';
import { sameScreen } from '../observe/masks.js';
import type { Observation, PictureRequest, ScreenState } from '../observe/observation.js';
import { describe } from '../observe/observe.js';
import type { Sight } from '../observe/latest-observations.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { type ExpectedScreen, expectedScreen, unmetText } from './expectation.js';
import { performStep } from './perform-step.js';
import { settle } from './settle.js';
import { DoneInPart, type Step } from './step.js';

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
  /** Absent when it was not requested, or when the phone gave no picture at all; without a picture when that came late. */
  observation: Observation | undefined;
}

interface Failure {
  step: number;
  kind: ErrorKind;
  message: string;
}

/** Kept back from the time that a caller allows, for putting the response together, ms; of a short time, a share of it. */
const FINISH_MS = 100;
const FINISH_SHARE = 0.4;

/** Share of the time that may be spent on a picture of the screen before the first step. */
const BEFORE_SHARE = 0.25;

/** A picture that is not ready by then is left out of the response, ms after the end of the time that a caller allows. */
const LATE_AT_MOST_MS = 50;

/** Kept back from the time left of the call, for the response's way to the client, ms. */
const RESPONSE_MS = 200;

/**
 * Performs the steps; waits after each until the screen is still and its expectation is met; stops at the first that fails.
 * Returns within `timeoutMs`, and before the call's own deadline, whatever the screen does. Finished steps are always reported. Throws
 * only when the first step could not begin (not_found: the target of the only step is not there; bad_request: there are several;
 * unavailable: the phone is gone), and when the client hangs up: then the running step ends, and no further one begins.
 */
export async function act(call: Call, session: PhoneSession, plan: ActPlan, sight: Sight): Promise<ActOutcome> {
  const { clock, phone } = session;
  const timeoutMs = Math.max(1, Math.min(plan.timeoutMs, call.remainingMs() - RESPONSE_MS));
  const startMs = clock.monotonicMs();
  const endMs = startMs + timeoutMs;
  const before = await pictureUntil(call, session, startMs + timeoutMs * BEFORE_SHARE);
  const finishMs = plan.observe ? Math.min(FINISH_MS, timeoutMs * FINISH_SHARE) : 0;
  const { last, latest, ...run } = await runSteps(call, session, plan, sight, endMs - finishMs);
  const state = last ?? lateState((await pictureUntil(call, session, endMs + LATE_AT_MOST_MS)) ?? latest ?? before);
  return {
    ...run,
    waitedMs: Math.round(clock.monotonicMs() - startMs),
    changed: hasChanged(before, state?.frame, phone.screen.density),
    observation: plan.observe && state ? await summarize(call, session, plan, sight, state, endMs) : undefined,
  };
}

/** Undefined where two pictures do not show it: one is missing, or both are black, as those of secure windows are. */
function hasChanged(before: Frame | undefined, after: Frame | undefined, density: number): boolean | undefined {
  if (before === undefined || after === undefined || before === after) return undefined;
  if (allBlack(before.pixels) && allBlack(after.pixels)) return undefined;
  return !sameScreen(before.pixels, after.pixels, density);
}

interface Run extends Omit<ActOutcome, 'waitedMs' | 'changed' | 'observation'> {
  /** The screen after the last step; undefined when no picture arrived in time. */
  last: ScreenState | undefined;
  /** The latest picture of an earlier step. */
  latest: Frame | undefined;
}

async function runSteps(
  call: Call,
  session: PhoneSession,
  { steps, settleMs, observe }: ActPlan,
  sight: Sight,
  untilMs: number,
): Promise<Run> {
  const { clock } = session;
  const run: Run = {
    settled: false,
    expectMet: steps.every(({ expect }) => expect === undefined),
    stepsDone: 0,
    failed: undefined,
    clipboard: undefined,
    last: undefined,
    latest: undefined,
  };
  const wait = async (isLast: boolean, expect: ExpectedScreen | undefined): Promise<boolean> => {
    run.latest = run.last?.frame ?? run.latest;
    run.last = undefined;
    run.settled = false;
    const fromMs = clock.monotonicMs();
    const settled = await settle(call, session, { settleMs, observe: observe && isLast, expect, fromMs, untilMs });
    run.settled = settled.still;
    run.last = settled.state;
    return settled.expectMet;
  };
  // Steps end with the time that the caller allows; reading for the response afterwards, only with the call itself.
  await during(call, { clock, timeoutMs: untilMs - clock.monotonicMs() }, async (limited) => {
    for (const [at, step] of steps.entries()) {
      const isLast = at === steps.length - 1;
      try {
        if (limited.remainingMs() === 0) throw new Error('the time is up before the step');
        limited.signal.throwIfAborted();
        const expect = step.expect && (await expectedScreen(limited, session, step.expect, sight));
        const read = await performStep(limited, session, step.action, { sight, untilMs });
        run.clipboard = read ?? run.clipboard;
        run.stepsDone++;
        if (!(await wait(isLast, expect))) {
          run.stepsDone--;
          run.failed = { step: at, kind: 'timeout', message: unmet(step) };
          return;
        }
      } catch (error) {
        call.signal.throwIfAborted();
        run.failed = { step: at, ...failureOf(error, run.stepsDone, steps.length === 1, limited) };
        // The response carries the screen all the same, as it is once it has come to rest.
        await unlessItFails(call, session, wait(true, undefined));
        return;
      }
    }
    run.expectMet = true;
  });
  return run;
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

/** Returns undefined when optional work fails. Throws when the call has ended. */
async function unlessItFails<T>(call: Call, { log }: PhoneSession, work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    call.signal.throwIfAborted();
    // Finished steps are reported all the same, so a fault of ours shows in the log only.
    if (!(error instanceof ApiError)) log.error({ err: error }, 'the screen around steps could not be read');
    return undefined;
  }
}

function unmet({ expect }: Step): string {
  return `The expectation of the step did not come true in time: ${expect === undefined ? 'nothing' : unmetText(expect)}.`;
}

/** A picture of the screen, if it arrives by then. */
async function pictureUntil(call: Call, session: PhoneSession, untilMs: number): Promise<Frame | undefined> {
  const { clock, captures } = session;
  const limit = { clock, timeoutMs: untilMs - clock.monotonicMs() };
  return during(call, limit, (limited) => unlessItFails(call, session, captures.next(limited)));
}

/** The screen when the time was up before its tree could be read. */
function lateState(frame: Frame | undefined): ScreenState | undefined {
  return frame && { frame, dump: undefined, front: NO_FOREGROUND, consistent: false };
}

/** The observation of the screen at the end, from the state read while waiting; without the picture when that takes too long. */
async function summarize(
  call: Call,
  session: PhoneSession,
  { picture, secrets }: ActPlan,
  sight: Sight,
  state: ScreenState,
  endMs: number,
): Promise<Observation> {
  const { clock } = session;
  return during(call, { clock, timeoutMs: endMs + LATE_AT_MOST_MS - clock.monotonicMs() }, async (limited) => {
    try {
      const options = { secrets, picture, oncePerScreen: true };
      return await unlessAborted(limited.signal, describe(limited, session, state, sight, options));
    } catch (error) {
      call.signal.throwIfAborted();
      if (!limited.signal.aborted) throw error;
      return await describe(call, session, state, sight, { secrets, picture: undefined, late: true });
    }
  });
}
