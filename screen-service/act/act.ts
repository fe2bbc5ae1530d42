import { ApiError, type ErrorKind } from '../../kit/errors.js';
import { NO_FOREGROUND } from '../app/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { ImageSpec } from '../capture/encode.js';
import type { RememberedObservation } from '../observe/latest-observations.js';
import { sameScreen } from '../observe/masks.js';
import type { Observation, ScreenState } from '../observe/observation.js';
import { describe } from '../observe/observe.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { findElement } from './find-element.js';
import { type Expectation, settle } from './settle.js';
import { elementOf, performStep, type Step } from './step.js';
import { TimeLimit } from './time-limit.js';

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
  image: ImageSpec | undefined;
}

export interface ActOutcome {
  /** The screen was still at the end. */
  settled: boolean;
  /** Everything that was expected came true. */
  expectMet: boolean;
  waitedMs: number;
  stepsDone: number;
  failed: Failure | undefined;
  /** Whether the screen shows something else than before; undefined when one of the two pictures is missing. */
  changed: boolean | undefined;
  /** Absent when it was not asked for, or when the phone gave no picture at all; without a picture when that came late. */
  observation: Observation | undefined;
}

export interface Failure {
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

/**
 * Does the steps, waiting after each until the screen is still and what it expects has come true; stops at the first that fails.
 * Returns within `timeoutMs`, whatever the screen does. What was done is always reported: only a first step that could not be
 * begun throws (not_found when the one step's element is not there, unavailable when the phone is gone).
 */
export async function act(
  session: PhoneSession,
  plan: ActPlan,
  seen: RememberedObservation | undefined,
  signal: AbortSignal,
): Promise<ActOutcome> {
  const { clock, phone } = session;
  const startMs = clock.monotonicMs();
  const endMs = startMs + plan.timeoutMs;
  const untilMs = endMs - (plan.observe ? Math.min(FINISH_MS, plan.timeoutMs * FINISH_SHARE) : 0);
  const timer = new TimeLimit(clock, untilMs, signal);
  try {
    const before = await pictureUntil(session, startMs + plan.timeoutMs * BEFORE_SHARE, signal);
    const run = await runSteps(session, plan, seen, timer);
    const state =
      run.state ?? lateState((await pictureUntil(session, endMs + LATE_AT_MOST_MS, signal)) ?? run.latest ?? before);
    const waitedMs = Math.round(clock.monotonicMs() - startMs);
    return {
      settled: run.settled,
      expectMet: run.expectMet,
      waitedMs,
      stepsDone: run.stepsDone,
      failed: run.failed,
      changed:
        before && state && state.frame !== before
          ? !sameScreen(before.pixels, state.frame.pixels, phone.screen.density)
          : undefined,
      observation: plan.observe && state ? await summarize(session, plan, state, endMs) : undefined,
    };
  } finally {
    timer.cancel();
  }
}

interface Run {
  settled: boolean;
  expectMet: boolean;
  stepsDone: number;
  failed: Failure | undefined;
  /** The screen after the last step; undefined when no picture arrived in time. */
  state: ScreenState | undefined;
  /** The latest picture of an earlier step. */
  latest: Frame | undefined;
}

async function runSteps(
  session: PhoneSession,
  { steps, settleMs, observe }: ActPlan,
  seen: RememberedObservation | undefined,
  timer: TimeLimit,
): Promise<Run> {
  const run: Run = {
    settled: false,
    expectMet: steps.every(({ expect }) => expect === undefined),
    stepsDone: 0,
    failed: undefined,
    state: undefined,
    latest: undefined,
  };
  const wait = async (last: boolean, expect: Expectation | undefined): Promise<boolean> => {
    run.latest = run.state?.frame ?? run.latest;
    run.state = undefined;
    run.settled = false;
    const fromMs = session.clock.monotonicMs();
    const { untilMs, callerSignal: signal } = timer;
    const settled = await settle(session, { settleMs, observe: observe && last, expect, fromMs, untilMs, signal });
    run.settled = settled.still;
    run.state = settled.state;
    return settled.expectMet;
  };
  for (const [at, step] of steps.entries()) {
    const isLast = at === steps.length - 1;
    try {
      await perform(session, step, seen, timer);
      run.stepsDone++;
      if (!(await wait(isLast, step.expect))) {
        run.failed = { step: at, kind: 'timeout', message: unmet(step.expect) };
        return run;
      }
    } catch (error) {
      run.failed = { step: at, ...failureOf(error, run.stepsDone, steps.length === 1, timer) };
      // The response carries the screen all the same, as it is once it has come to rest.
      await wait(true, undefined).catch(without(timer.callerSignal));
      return run;
    }
  }
  run.expectMet = true;
  return run;
}

async function perform(
  session: PhoneSession,
  step: Step,
  seen: RememberedObservation | undefined,
  timer: TimeLimit,
): Promise<void> {
  timer.throwIfUp();
  const element = elementOf(step);
  const found = element === undefined ? undefined : await timer.race(findElement(session, element, seen));
  await timer.race(performStep(session, step.action, found, timer.signal));
}

/** What the response says of an error; throws it when nothing was done yet that a caller could do twice. */
function failureOf(
  error: unknown,
  stepsDone: number,
  only: boolean,
  timer: TimeLimit,
): { kind: ErrorKind; message: string } {
  if (timer.isUp())
    return { kind: 'timeout', message: 'The time was up before this step was done. Allow more timeout_ms.' };
  if (!(error instanceof ApiError) || error.kind === 'internal') throw error;
  if (stepsDone === 0 && (error.kind === 'unavailable' || (only && error.kind === 'not_found'))) throw error;
  return { kind: error.kind, message: error.message };
}

/** For work that the response can do without. The caller's own going away throws. */
function without(callerSignal: AbortSignal): () => undefined {
  return () => {
    callerSignal.throwIfAborted();
    return undefined;
  };
}

function unmet(expect: Expectation | undefined): string {
  const what =
    expect === undefined
      ? 'nothing'
      : 'app' in expect
        ? `the app ${expect.app} did not come to the front`
        : 'text' in expect
          ? `the text ${JSON.stringify(expect.text)} did not appear`
          : `the text ${JSON.stringify(expect.gone)} did not go away`;
  return `What the step expects did not come true in time: ${what}.`;
}

/** A picture of the screen, if it arrives by then. */
async function pictureUntil(session: PhoneSession, untilMs: number, signal: AbortSignal): Promise<Frame | undefined> {
  const limit = new TimeLimit(session.clock, untilMs, signal);
  try {
    return await limit.race(session.captures.next()).catch(without(signal));
  } finally {
    limit.cancel();
  }
}

/** The screen when the time was up before its tree could be read. */
function lateState(frame: Frame | undefined): ScreenState | undefined {
  return frame && { frame, dump: undefined, front: NO_FOREGROUND, consistent: false };
}

/** The observation of the screen at the end, from what was read while waiting. */
async function summarize(
  session: PhoneSession,
  { image, secrets }: ActPlan,
  state: ScreenState,
  endMs: number,
): Promise<Observation> {
  const stop = new AbortController();
  const graceMs = Math.max(0, endMs + LATE_AT_MOST_MS - session.clock.monotonicMs());
  try {
    return await Promise.race([
      describe(session, state, { image, secrets }),
      session.clock
        .sleep(graceMs, stop.signal)
        .then(() => describe(session, state, { image: undefined, secrets, late: true })),
    ]);
  } finally {
    stop.abort();
  }
}
