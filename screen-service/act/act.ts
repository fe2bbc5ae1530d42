import { begunAhead } from '../../kit/async/begun-ahead.js';
import { type Call, withinCall } from '../../kit/call/call.js';
import { unlessAborted } from '../../kit/async/within.js';
import { allBlack } from '../../phone/screen/pixels.js';
import type { Frame } from '../capture/captures.js';
import type { LastObservation } from '../observe/last-observations.js';
import { sameScreen } from '../observe/masks.js';
import type { Observation, PictureRequest, ScreenState } from '../observe/observation.js';
import { describe } from '../observe/observe.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { hideSecretText } from '../secrets/hide-secrets.js';
import { type CrashUnder, CrashesUnder } from './crash-under.js';
import { lateState, withLastTree } from './late-screen.js';
import { arrivedBy, unlessItFails } from './optional-work.js';
import { runSteps, type StepsPlan, type StepsRun } from './run-steps.js';
import { wakeFor } from './wake-for.js';

export interface ActPlan extends StepsPlan {
  timeoutMs: number;
  /** The picture in the response; absent: elements only. */
  picture: PictureRequest | undefined;
}

export interface ActOutcome extends Pick<StepsRun, 'settled' | 'expectMet' | 'stepsDone' | 'failed' | 'clipboard'> {
  waitedMs: number;
  /** Whether the screen shows something else than before; undefined when the pictures do not show it. */
  changed: boolean | undefined;
  /** The screen at the end. Undefined when it was not requested, or when the phone has sent no picture lately. */
  observation: Observation | undefined;
  /** The app that crashed meanwhile, of those that were in front. Undefined: none did. */
  crash: CrashUnder | undefined;
  /** The screen as it was seen on the way, for the timeline. */
  seen: ActSeen;
}

/** The screen as an act has seen it. */
export interface ActSeen {
  /** The picture before the first step; undefined where none came in time. */
  before: Frame | undefined;
  /** The screen at the end. */
  end: ScreenState | undefined;
  /** The typed texts that show, one for each step: their fields are known, and are not fields for passwords. */
  shownTexts: readonly string[];
}

/**
 * The time that is kept back at the end for building the response, ms. It is longer where encoding a picture takes longer, as on a busy
 * machine. It never exceeds `FINISH_SHARE` of the time that the caller allows.
 */
const FINISH_MS = 100;
const FINISH_ENCODINGS = 2;
/** The assumed time to encode a phone's first picture, ms. Measured: 4 on a quiet machine, 180 beside thirty busy programs. */
const FIRST_ENCODING_MS = 150;
const FINISH_SHARE = 0.4;

/** Share of the time that may be spent on a picture of the screen before the first step. */
const BEFORE_SHARE = 0.25;

/** How long after the end of the caller's time an image may still be encoded, ms. A later image is left out of the response. */
const MAX_LATE_MS = 50;

/** The part of the call's remaining time that is kept back for the response's way to the client, ms. */
const RESPONSE_MS = 200;

/**
 * Performs the steps. After each it waits until the screen is still and the step's expectation is met. It stops at the first step that
 * fails. Returns within `timeoutMs`, and before the call's own deadline, whatever the screen does. Finished steps are always reported.
 *
 * It throws in two cases only:
 * - The first step could not begin. The error is not_found when the target of the only step is not there, and bad_request when several
 *   elements match it. It is unavailable when the phone is gone. With `screenOnFailure`, not_found and bad_request are a part of the
 *   outcome.
 * - The client has hung up. Then the running step ends, and no further one begins.
 */
export async function act(
  call: Call,
  phoneSession: PhoneSession,
  plan: ActPlan,
  lastObservation: LastObservation,
): Promise<ActOutcome> {
  const { clock, phone, captures, images } = phoneSession;
  lastObservation.steps.beginAct();
  const timeoutMs = Math.max(1, Math.min(plan.timeoutMs, call.remainingMs() - RESPONSE_MS));
  const startMs = clock.monotonicMs();
  const endMs = startMs + timeoutMs;
  // This capture goes on when its time is up, as it may be the only one where pictures take long.
  const taking = begunAhead(unlessItFails(call, phoneSession, captures.next(call)));
  const [before, front] = await Promise.all([
    arrivedBy(startMs + timeoutMs * BEFORE_SHARE, call, phoneSession, taking),
    wakeFor(call, phoneSession, plan.steps[0]?.action, { timeoutMs: timeoutMs * BEFORE_SHARE, lastObservation }),
  ]);
  const crashes = new CrashesUnder(call, phoneSession, front?.app ?? knownFront(lastObservation));
  const encodeMs = plan.picture === undefined ? 0 : (images.usualMs ?? FIRST_ENCODING_MS) * FINISH_ENCODINGS;
  const finishMs = plan.observe ? Math.min(Math.max(FINISH_MS, encodeMs), timeoutMs * FINISH_SHARE) : 0;
  const { picture } = plan;
  // Encoding begins early here; an error is thrown again where the image is used.
  const encode = ({ pixels }: Frame): void => {
    if (picture?.marks === false) images.of(pixels, picture.spec).catch(() => undefined);
  };
  const start = {
    lastObservation,
    untilMs: endMs - finishMs,
    before,
    front,
    onRest: plan.observe ? encode : undefined,
  };
  const run = await runSteps(call, phoneSession, plan, start);
  const { settled, expectMet, stepsDone, failed, clipboard, last, shownTexts, apps } = run;
  if (last === undefined && captures.latest === undefined) await arrivedBy(endMs, call, phoneSession, taking);
  const crash = await crashes.find(apps, endMs - finishMs);
  const hides = phoneSession.secrets.allWith(plan.secrets);
  const state = withLastTree(phoneSession, last ?? lateState(captures.latest));
  return {
    settled,
    expectMet,
    stepsDone,
    failed,
    clipboard,
    waitedMs: Math.round(clock.monotonicMs() - startMs),
    changed: hasChanged(before, state?.frame, phone.screen.density),
    observation:
      plan.observe && state ? await summarize(call, phoneSession, plan, lastObservation, state, endMs) : undefined,
    crash: crash && { ...crash, reason: hideSecretText(crash.reason, hides) },
    seen: { before, end: state, shownTexts },
  };
}

/** Returns the app in front by the caller's latest observation. Undefined: there is none, or it does not name the app. */
function knownFront(lastObservation: LastObservation): string | undefined {
  const app = lastObservation.latest()?.front.app;
  return app === '' ? undefined : app;
}

/**
 * Whether the screen has changed. Undefined when the pictures cannot show it. Either one is missing, or both are black, as pictures of
 * secure windows are.
 */
function hasChanged(before: Frame | undefined, after: Frame | undefined, density: number): boolean | undefined {
  if (before === undefined || after === undefined || before === after) return undefined;
  if (allBlack(before.pixels) && allBlack(after.pixels)) return undefined;
  return !sameScreen(before.pixels, after.pixels, density);
}

/**
 * Returns the observation of the screen at the end, from the state read while waiting. The image is left out when encoding it takes too
 * long.
 */
async function summarize(
  call: Call,
  phoneSession: PhoneSession,
  { picture, secrets }: ActPlan,
  lastObservation: LastObservation,
  state: ScreenState,
  endMs: number,
): Promise<Observation> {
  const { clock } = phoneSession;
  return withinCall(call, { clock, timeoutMs: endMs + MAX_LATE_MS - clock.monotonicMs() }, async (limited) => {
    try {
      const options = { secrets, picture, oncePerScreen: true };
      return await unlessAborted(limited.signal, describe(limited, phoneSession, state, lastObservation, options));
    } catch (error) {
      call.signal.throwIfAborted();
      if (!limited.signal.aborted) throw error;
      const late = { ...state, isLate: true };
      return await describe(call, phoneSession, late, lastObservation, { secrets, picture: undefined, late: true });
    }
  });
}
