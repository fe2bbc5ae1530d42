import { type Call, withinCall, sentBy } from '../../kit/call/call.js';
import { allBlack } from '../../phone/screen/pixels.js';
import type { Foreground } from '../../phone/screen/windows.js';
import type { Frame } from '../capture/captures.js';
import type { LastObservation } from '../observe/last-observations.js';
import { changedBelowBar } from '../observe/masks.js';
import type { ScreenState } from '../observe/observation.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { type ExpectedScreen, expectedScreen } from './expectation.js';
import { unlessItFails } from './optional-work.js';
import { performStep } from './perform-step.js';
import { settle } from './settle.js';
import { hasElementTarget, type Step } from './step.js';
import { beginStep, type StepContext, type StepResult } from './step-context.js';
import { failureOf, isNoEffect, type StepFailure, unmet } from './step-failure.js';

export interface StepsPlan {
  /** 1 to 20. */
  steps: Step[];
  /** Typed texts that must not show in the response. */
  secrets: readonly string[];
  /** Whether the failure of a single step is a part of the outcome in place of an error. */
  screenOnFailure: boolean;
  settleMs: number;
  /** Whether the response shows the screen. */
  observe: boolean;
}

/** The screen and the time that the steps begin with. */
export interface StepsStart {
  lastObservation: LastObservation;
  /** When the time of all steps is up, monotonic ms. */
  untilMs: number;
  /** See StepContext. */
  before: Frame | undefined;
  front: Foreground | undefined;
  /** Called with pictures of which one most likely is in the response. Absent: nothing is called. */
  onRest?: ((frame: Frame) => void) | undefined;
}

/** The screen after a step. */
interface Rest {
  /** Whether the screen was still. */
  settled: boolean;
  /** The state of the screen; undefined when no picture arrived in time. */
  last: ScreenState | undefined;
}

/** The steps so far. */
export interface StepsRun extends Rest {
  /** Whether everything that was expected came true, and no step failed. */
  expectMet: boolean;
  stepsDone: number;
  failed: StepFailure | undefined;
  /** The text that the last step which reads the clipboard found. */
  clipboard: string | undefined;
  /** The typed texts that show, one for each step: their fields are known, and are not fields for passwords. */
  shownTexts: readonly string[];
  /** Packages of the apps that steps have opened, or that were in front after one. */
  apps: ReadonlySet<string>;
  /** The latest picture, which the next step may begin with. */
  picture: Frame | undefined;
}

/** How a step ended. */
export type StepEnd =
  /** It was done; the screen came to rest or the time was up, and the expectation came true. */
  | { state: 'done'; result: StepResult; rest: Rest }
  /** It had nothing to do and has sent no input, so the next step begins without a wait. */
  | { state: 'idle'; result: StepResult }
  /** It was done, and the expectation did not come true. */
  | { state: 'unmet'; result: StepResult; rest: Rest; failure: StepFailure }
  /** It failed. With a result: it was done, and the wait after it failed. */
  | { state: 'failed'; result: StepResult | undefined; rest: Rest; failure: StepFailure };

/** One request's steps. */
interface Steps {
  /** Ends with the client; reads for the response end with it. */
  call: Call;
  /** Ends with the time that the caller allows, as the steps do. */
  limited: Call;
  phoneSession: PhoneSession;
  plan: StepsPlan;
  start: StepsStart;
}

/** Performs the steps, and waits after each; stops at the first that fails. Throws as `act` does. */
export async function runSteps(
  call: Call,
  phoneSession: PhoneSession,
  plan: StepsPlan,
  start: StepsStart,
): Promise<StepsRun> {
  const { clock } = phoneSession;
  return withinCall(call, { clock, timeoutMs: start.untilMs - clock.monotonicMs() }, async (limited) => {
    let run: StepsRun = {
      settled: false,
      last: undefined,
      expectMet: false,
      stepsDone: 0,
      failed: undefined,
      clipboard: undefined,
      shownTexts: [],
      apps: new Set(),
      picture: start.before,
    };
    for (const [at, step] of plan.steps.entries()) {
      run = after(run, await runStep({ call, limited, phoneSession, plan, start }, at, step, run));
      if (run.failed !== undefined) return run;
    }
    return { ...run, expectMet: true };
  });
}

/** Returns the run after its next step, from how that step ended. */
export function after(run: StepsRun, end: StepEnd): StepsRun {
  const { clipboard = run.clipboard, shownText, openedApp } = end.result ?? {};
  const front = 'rest' in end ? end.rest.last?.front.app : undefined;
  const seenApps = [openedApp, front].filter(
    (name): name is string => name !== undefined && name !== '' && !run.apps.has(name),
  );
  const apps = seenApps.length === 0 ? run.apps : new Set([...run.apps, ...seenApps]);
  const shownTexts = shownText === undefined ? run.shownTexts : [...run.shownTexts, shownText];
  const noted = { ...run, clipboard, shownTexts, apps };
  switch (end.state) {
    case 'idle':
      return { ...noted, stepsDone: run.stepsDone + 1, last: end.result.rested ?? run.last };
    case 'done':
      return { ...noted, stepsDone: run.stepsDone + 1, ...end.rest, picture: end.rest.last?.frame };
    case 'unmet':
      return { ...noted, ...end.rest, failed: end.failure };
    case 'failed':
      // A step that failed in the wait after it counts as done.
      return {
        ...noted,
        stepsDone: run.stepsDone + Number(end.result !== undefined),
        ...end.rest,
        failed: end.failure,
      };
  }
}

async function runStep(steps: Steps, at: number, step: Step, run: StepsRun): Promise<StepEnd> {
  const { call, limited, phoneSession, plan, start } = steps;
  const next = plan.steps[at + 1];
  const progress = beginStep(start.lastObservation);
  let result: StepResult | undefined;
  try {
    if (limited.remainingMs() === 0) throw new Error('the time is up before the step');
    limited.signal.throwIfAborted();
    const expect = step.expect && (await expectedScreen(limited, phoneSession, step.expect, start.lastObservation));
    const context: StepContext = {
      lastObservation: start.lastObservation,
      secrets: plan.secrets,
      typedSecrets: plan.steps.slice(0, at + 1).flatMap(({ action }) => secretOf(action)),
      untilMs: start.untilMs,
      waitMs: step.waitMs,
      before: recent(run.picture, phoneSession),
      front: at === 0 ? start.front : undefined,
      rested: run.last,
      progress,
    };
    const sending = sentBy(limited, progress.sender);
    result = await performStep(sending, phoneSession, step.action, context).finally(() => {
      if (progress.sender.sent > 0) start.lastObservation.steps.hasSent(progress.done);
    });
    if (result.isIdle === true && next !== undefined && expect === undefined) return { state: 'idle', result };
    const needsTree = next === undefined ? plan.observe : hasElementTarget(next.action);
    const seen = step.action.kind === 'wait' ? context.before : undefined;
    const onRest = next === undefined ? start.onRest : undefined;
    const { expectMet, ...rest } = await comeToRest(steps, { needsTree, expect, read: result.rested, seen, onRest });
    if (expectMet) return { state: 'done', result, rest };
    const failure = { step: at, kind: 'timeout', message: unmet(step), sent: progress.sender.sent > 0 } as const;
    return { state: 'unmet', result, rest, failure };
  } catch (error) {
    call.signal.throwIfAborted();
    const sent = progress.sender.sent > 0 && !isNoEffect(step, error);
    const mayThrow = plan.steps.length === 1 && !plan.screenOnFailure;
    const known = { stepsDone: run.stepsDone + Number(result !== undefined), mayThrow, sent, soFar: progress.soFar };
    const failure = { step: at, sent, ...failureOf(error, known, limited, phoneSession.log) };
    // The response carries the screen also after a failure, once it has come to rest.
    const rested = await unlessItFails(
      call,
      phoneSession,
      comeToRest(steps, { needsTree: plan.observe, expect: undefined }),
    );
    const rest = { settled: rested?.settled ?? false, last: rested?.last };
    return { state: 'failed', result, rest, failure };
  }
}

function secretOf(action: Step['action']): string[] {
  return action.kind === 'type' && action.secret && action.text !== '' ? [action.text] : [];
}

/** A picture for finding a target is at most this old when the search begins, ms. */
const RECENT_MS = 150;

/** Returns the picture where it shows the screen as the next step finds it. Undefined: it is too old, or was taken before an input. */
function recent(before: Frame | undefined, { clock, inputs }: PhoneSession): Frame | undefined {
  if (before === undefined || inputs.lastMs >= before.beganMs) return undefined;
  return clock.monotonicMs() - before.endedMs <= RECENT_MS ? before : undefined;
}

/** Waits until the screen rests after a step, and the expectation is met. `read`: the state that the step itself has read. */
async function comeToRest(
  { call, phoneSession, plan: { settleMs }, start: { untilMs } }: Steps,
  goal: {
    needsTree: boolean;
    expect: ExpectedScreen | undefined;
    read?: ScreenState | undefined;
    seen?: Frame | undefined;
    onRest?: ((frame: Frame) => void) | undefined;
  },
): Promise<Rest & { expectMet: boolean }> {
  const { needsTree, expect, read, seen, onRest } = goal;
  const fromMs = phoneSession.clock.monotonicMs();
  if (needsTree && expect === undefined && read?.consistent === true) {
    // It has rested for long enough while the step read it.
    const { frame, stillSinceMs = frame.beganMs } = read;
    if (frame.beganMs - stillSinceMs >= settleMs && !allBlack(frame.pixels))
      return { settled: true, last: read, expectMet: true };
    // The state that the step has read is good as long as the screen shows the same.
    const goal = { settleMs, observe: false, expect, fromMs, untilMs, seen: frame, stillSinceMs };
    const { still, state } = await settle(call, phoneSession, goal);
    const pixels = state?.frame.pixels;
    // Black pictures show no change.
    const isSame =
      pixels !== undefined &&
      !allBlack(pixels) &&
      changedBelowBar(read.frame.pixels, pixels, phoneSession.phone.screen.density) === undefined;
    if (still && state !== undefined && isSame)
      return { settled: true, last: { ...read, frame: state.frame }, expectMet: true };
  }
  const wait = { settleMs, observe: needsTree, expect, fromMs, untilMs, seen, onRest };
  const settled = await settle(call, phoneSession, wait);
  return { settled: settled.still, last: settled.state, expectMet: settled.expectMet };
}
