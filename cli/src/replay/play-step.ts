import { spokenStep } from '../../../replay/format/spoken-step.js';
import type { ReplayStep } from '../../../replay/format/replay.js';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import type { Schemas, Step } from '../service/types.js';
import type { ScreenSize } from './scaled-step.js';

type ActResult = Schemas['ActResult'];

/** Shortest time that a step is waited for, ms. It is the usual time of an `act`. */
const MIN_WAIT_MS = 10_000;

/** How often the recorded time a step may take. */
const SLOWER = 2;

/** Longest and shortest time of one request, ms, as the API has them. */
const MAX_REQUEST_MS = 60_000;
const MIN_REQUEST_MS = 1_000;

/** Longest wait for the element of a step, seconds, as the API has it. */
const MAX_TARGET_S = 60;

/** Kinds of failures by which the screen differs. Others are of the phone or the service. */
const DIFFERS: readonly string[] = ['not_found', 'bad_request', 'timeout'];

export interface Playing {
  phone: CloudPhone;
  device: string;
  nowMs: () => number;
  signal: AbortSignal;
}

/** How a step ended. */
export interface StepEnd {
  /** The screen as it is turned now. Absent: it was not read. */
  screen: ScreenSize | undefined;
  /** Absent: the step was done, and its expectation came true. */
  failed?: FailedStep;
}

export interface FailedStep {
  /** Kind, as in error responses. */
  kind: string;
  message: string;
  /** Whether the screen differs, as opposed to a fault of the phone or the service. */
  isDifference: boolean;
  /** Whether the step was done, and only its expectation did not come true. */
  isExpectation: boolean;
}

/** Returns the time that a step may need on a slower phone, ms. It is 0 where the recorded time is not known. */
export function slowMsOf({ took_ms: tookMs = 0 }: ReplayStep): number {
  return tookMs * SLOWER;
}

/** Returns how long a step is waited for, ms: twice the time that it took, and never less than the usual time of an `act`. */
export function waitMsOf(step: ReplayStep): number {
  return Math.max(MIN_WAIT_MS, slowMsOf(step));
}

/**
 * Does one step, and waits until its expectation comes true. What is pressed is waited for as long. A step of which input was sent is never
 * repeated: only its expectation is looked at again. `withScreen`: whether the size of the screen is read afterwards.
 */
export async function playStep(
  { phone, device, nowMs, signal }: Playing,
  step: ReplayStep,
  { withScreen }: { withScreen: boolean },
): Promise<StepEnd> {
  const untilMs = nowMs() + waitMsOf(step);
  let next = spokenStep(step);
  for (;;) {
    const timeoutMs = Math.round(Math.min(MAX_REQUEST_MS, Math.max(MIN_REQUEST_MS, untilMs - nowMs())));
    const waitS = Math.min(MAX_TARGET_S, Math.floor(timeoutMs / 1_000));
    const body = {
      steps: [{ ...next, wait_s: waitS } as Step],
      observe: withScreen ? ('elements' as const) : ('none' as const),
      elements: 'compact' as const,
      timeout_ms: timeoutMs,
      screen_on_failure: true,
    };
    const result = await phone.post('/v1/devices/{name}/act', { params: { path: { name: device } }, body, signal });
    const failed = failureOf(result, next);
    const screen = result.observation?.screen;
    if (failed === undefined) return { screen };
    const isOver = !failed.isDifference || untilMs - nowMs() < MIN_REQUEST_MS;
    // Other failures stay the same when they are waited for.
    const mayPass = failed.isExpectation || (failed.kind !== 'bad_request' && result.failed?.sent !== true);
    if (isOver || !mayPass) return { screen, failed };
    if (failed.isExpectation && step.expect !== undefined) next = { wait: {}, expect: step.expect };
  }
}

/** Begins the message of a step whose time was up while it was done, such as half of a text. Then its expectation proves nothing. */
const IN_PART = 'The time was up during this step';

function failureOf(
  { failed, expect_met: isMet, steps_done: stepsDone }: ActResult,
  step: ReplayStep,
): FailedStep | undefined {
  if (failed === undefined && isMet) return undefined;
  const { error: kind = 'timeout', message = 'The expectation did not come true in time.', sent } = failed ?? {};
  // The step is the only one of its request, so its index there means nothing to the reader.
  const plain = message.replace(/^steps\[0\]\.?/, '').replace(/^: /, '');
  // A step that was done, and whose time was up in the wait after it, is counted.
  const isInPart = stepsDone === 0 && plain.startsWith(IN_PART);
  const wasDone = (sent === true && !isInPart) || 'wait' in step;
  const isExpectation = step.expect !== undefined && kind === 'timeout' && wasDone;
  return { kind, message: plain, isDifference: DIFFERS.includes(kind), isExpectation };
}
