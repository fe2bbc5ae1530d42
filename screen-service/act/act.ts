import { ApiError, type ErrorKind } from '../../kit/errors.js';
import { phoneTimeout } from '../../phone/link/deadline.js';
import type { ImageSpec } from '../capture/encode.js';
import type { RememberedObservation } from '../observe/latest-observations.js';
import type { Observation } from '../observe/observation.js';
import { describe } from '../observe/observe.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { findElement } from './find-element.js';
import { type Expectation, settle, type Settled } from './settle.js';
import { elementOf, performStep, type Step } from './step.js';

export interface ActPlan {
  /** 1 to 20. */
  steps: Step[];
  /** Typed texts that must not show in the answer. */
  secrets: readonly string[];
  settleMs: number;
  timeoutMs: number;
  /** Whether the answer shows the screen. */
  observe: boolean;
  /** The picture in it; absent: elements only. */
  image: ImageSpec | undefined;
}

export interface ActOutcome {
  settled: boolean;
  waitedMs: number;
  stepsDone: number;
  failed: { step: number; kind: ErrorKind; message: string } | undefined;
  /** Absent when it was not asked for, or when the phone gave no picture before the time was up; without one when that came late. */
  observation: Observation | undefined;
}

/** A phone that gave no picture in so long a time hangs, which is an error; in less it may just be slow, ms. */
const ENOUGH_FOR_A_PICTURE_MS = 2_000;

/** Kept back from the time that a caller allows, for putting the answer together, ms; of a short time, a share of it. */
const FINISH_MS = 100;
const FINISH_SHARE = 0.4;

/** A picture that is not ready by then is left out of the answer, ms after the end of the time that a caller allows. */
const LATE_AT_MOST_MS = 50;

/**
 * Does the steps, waiting after each until the screen is still and what it expects has come true; stops at the first that fails.
 * Answers within `timeoutMs`, whatever the screen does. Throws not_found when the one step's element is not there, and
 * unavailable or timeout when the phone is gone.
 */
export async function act(
  session: PhoneSession,
  plan: ActPlan,
  seen: RememberedObservation | undefined,
  signal: AbortSignal,
): Promise<ActOutcome> {
  const startMs = session.clock.monotonicMs();
  const endMs = startMs + plan.timeoutMs;
  const untilMs = endMs - (plan.observe ? Math.min(FINISH_MS, plan.timeoutMs * FINISH_SHARE) : 0);
  const timer = new TimeLimit(session, untilMs, signal);
  try {
    const run = await runSteps(session, plan, seen, timer);
    if (run.last?.shot === undefined && plan.timeoutMs >= ENOUGH_FOR_A_PICTURE_MS) {
      throw phoneTimeout('show its screen', plan.timeoutMs);
    }
    const waitedMs = Math.round(session.clock.monotonicMs() - startMs);
    const observation = plan.observe ? await summarize(session, plan, run.last, endMs) : undefined;
    return { settled: run.settled, waitedMs, stepsDone: run.stepsDone, failed: run.failed, observation };
  } finally {
    timer.cancel();
  }
}

interface Run {
  settled: boolean;
  stepsDone: number;
  failed: ActOutcome['failed'];
  last: Settled | undefined;
}

async function runSteps(
  session: PhoneSession,
  { steps, settleMs, observe: wanted }: ActPlan,
  seen: RememberedObservation | undefined,
  timer: TimeLimit,
): Promise<Run> {
  const wait = (options: { last: boolean; expect: Expectation | undefined }): Promise<Settled> =>
    settle(session, {
      settleMs,
      tree: wanted && options.last,
      front: wanted && options.last,
      expect: options.expect,
      fromMs: session.clock.monotonicMs(),
      untilMs: timer.untilMs,
      signal: timer.callerSignal,
    });
  let last: Settled | undefined;
  let stepsDone = 0;
  for (const [at, step] of steps.entries()) {
    const failure = await attempt(session, step, seen, timer, steps.length === 1);
    if (failure !== undefined) {
      // The answer carries the screen all the same, as it is once it has come to rest.
      last = await wait({ last: true, expect: undefined });
      return { settled: last.still, stepsDone, failed: { step: at, ...failure }, last };
    }
    stepsDone++;
    last = await wait({ last: at === steps.length - 1, expect: step.expect });
    if (step.expect !== undefined && !last.expectMet) {
      const failed = { step: at, kind: 'timeout' as const, message: unmet(step.expect) };
      return { settled: false, stepsDone, failed, last };
    }
  }
  return { settled: last?.still ?? false, stepsDone, failed: undefined, last };
}

/** Does one step; answers what went wrong, when it is for the caller to see in the answer. */
async function attempt(
  session: PhoneSession,
  step: Step,
  seen: RememberedObservation | undefined,
  timer: TimeLimit,
  only: boolean,
): Promise<{ kind: ErrorKind; message: string } | undefined> {
  const late = {
    kind: 'timeout' as const,
    message: 'The time was up before this step was done. Allow more timeout_ms.',
  };
  if (timer.isUp()) return late;
  const element = elementOf(step);
  let found;
  try {
    found = element === undefined ? undefined : await timer.race(findElement(session, element, seen));
  } catch (error) {
    if (timer.isUp()) return late;
    if (only && error instanceof ApiError && error.kind === 'not_found') throw error;
    return asFailure(error);
  }
  try {
    await timer.race(performStep(session, step.action, found, timer.signal));
    return undefined;
  } catch (error) {
    return timer.isUp() ? late : asFailure(error);
  }
}

function asFailure(error: unknown): { kind: ErrorKind; message: string } {
  if (!(error instanceof ApiError) || error.kind === 'unavailable' || error.kind === 'internal') throw error;
  return { kind: error.kind, message: error.message };
}

function unmet(expect: Expectation): string {
  const what =
    'app' in expect
      ? `the app ${expect.app} did not come to the front`
      : 'text' in expect
        ? `the text ${JSON.stringify(expect.text)} did not appear`
        : `the text ${JSON.stringify(expect.gone)} did not go away`;
  return `What the step expects did not come true in time: ${what}.`;
}

/** The observation of the screen at the end, from what was read while waiting. */
async function summarize(
  session: PhoneSession,
  { image, secrets }: ActPlan,
  last: Settled | undefined,
  endMs: number,
): Promise<Observation | undefined> {
  const shot = last?.shot;
  if (last === undefined || shot === undefined) return undefined;
  const sight = {
    shot,
    reading: last.reading,
    consistent: last.consistent,
    front: last.front ?? { app: '', activity: '' },
    image,
    secrets,
  };
  const stop = new AbortController();
  const graceMs = Math.max(0, endMs + LATE_AT_MOST_MS - session.clock.monotonicMs());
  try {
    return await Promise.race([
      describe(session, sight),
      session.clock.sleep(graceMs, stop.signal).then(() => describe(session, { ...sight, image: undefined })),
    ]);
  } finally {
    stop.abort();
  }
}

/** The time a caller allows, as a signal for commands. The caller's own going away is another matter: it throws. */
class TimeLimit {
  readonly untilMs: number;
  readonly callerSignal: AbortSignal;
  readonly #session: PhoneSession;
  readonly #abort = new AbortController();
  readonly #timer: { cancel(): void };
  readonly #onAbort: () => void;

  constructor(session: PhoneSession, untilMs: number, callerSignal: AbortSignal) {
    this.#session = session;
    this.untilMs = untilMs;
    this.callerSignal = callerSignal;
    this.#timer = session.clock.after(untilMs - session.clock.monotonicMs(), () =>
      this.#abort.abort(new Error('the time that the caller allows is up')),
    );
    this.#onAbort = () => this.#abort.abort(callerSignal.reason);
    callerSignal.addEventListener('abort', this.#onAbort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  isUp(): boolean {
    this.callerSignal.throwIfAborted();
    return this.#abort.signal.aborted || this.#session.clock.monotonicMs() >= this.untilMs;
  }

  /** Rejects when the time is up first. */
  async race<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    signal.throwIfAborted();
    work.catch(() => undefined);
    let stop: (() => void) | undefined;
    const cut = new Promise<never>((_, reject) => {
      stop = () => reject(signal.reason instanceof Error ? signal.reason : new Error('aborted'));
      signal.addEventListener('abort', stop, { once: true });
    });
    try {
      return await Promise.race([work, cut]);
    } finally {
      if (stop !== undefined) signal.removeEventListener('abort', stop);
    }
  }

  cancel(): void {
    this.#timer.cancel();
    this.callerSignal.removeEventListener('abort', this.#onAbort);
  }
}
