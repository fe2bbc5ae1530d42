import type { Call } from '../../kit/call.js';
import { type Foreground, NO_FOREGROUND } from '../../phone/screen/windows.js';
import { foregroundOf, readForeground } from '../app/foreground.js';
import type { ScreenState } from '../observe/observation.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf, type ScreenContent } from '../tree/elements.js';
import type { TreeDump } from '../tree/trees.js';
import type { ExpectedScreen } from './expectation.js';
import { sampleFrames } from './sample-frames.js';
import { StillWatch } from './still-watch.js';

export interface SettleGoal {
  /** How long the screen must be still, ms. */
  settleMs: number;
  /** Whether tree and app in front must be read, and be of the still screen. */
  observe: boolean;
  expect: ExpectedScreen | undefined;
  /** When the last input had been sent, monotonic ms. */
  fromMs: number;
  /** Never waits beyond this, monotonic ms. */
  untilMs: number;
}

export interface Settled {
  /** The screen was still, and the tree could be read when it was needed. */
  still: boolean;
  /** True when nothing was expected. */
  expectMet: boolean;
  /** Undefined when not even one picture arrived in time. */
  state: ScreenState | undefined;
}

/** A screen that has not rested for this time is busy: its tree is then read without waiting for a rest, ms. */
const BUSY_MS = 2_000;

/** How long the pixels must be still to count as a rest, ms. */
const REST_MS = 300;

/** An expectation that has not come true is checked again this often on a screen whose pixels rest, ms. */
const CHECK_AGAIN_MS = 400;

/**
 * Waits until the screen is still and the expectation is met, or the time is up. Pixels are watched all the time; the
 * tree is read as soon as they rest, beside the wait for `settleMs`, and counts when nothing changed from its request
 * to its arrival. (The tree alone misses animations that send no accessibility events; pixels alone miss late changes of
 * the tree. uiautomator itself waits for a second without such events.) On a busy screen it returns as soon as the expectation
 * is met.
 */
export async function settle(call: Call, session: PhoneSession, goal: SettleGoal): Promise<Settled> {
  const watch = new StillWatch({ density: session.phone.screen.density, startMs: goal.fromMs });
  const readings = new Readings(call, session, goal, watch);
  for await (const frame of sampleFrames(call, session, goal.untilMs)) {
    watch.see(frame);
    readings.update();
    if (readings.metOnBusyScreen) break;
    if (watch.stillFor(goal.settleMs) && readings.areCurrent && readings.areEnough) break;
  }
  return readings.outcome();
}

/** Tree and app in front, read beside the pictures, one at a time each. Decides whether they are of the present screen. */
class Readings {
  readonly #call: Call;
  readonly #session: PhoneSession;
  readonly #goal: SettleGoal;
  readonly #watch: StillWatch;
  readonly #needs: { tree: boolean; front: boolean };
  #isReading = false;
  #error: Error | undefined;
  #askedMs = -Infinity;
  #restedMs: number;
  #dump: TreeDump | undefined;
  /** The latest dump after which a picture showed the same as before it. */
  #confirmed: TreeDump | undefined;
  /** The screen changed while the latest dump was made, and had the time to come to rest. */
  #dumpedBusy = false;
  /** The content of the latest dump, when something of it is expected. */
  #content: ScreenContent | undefined;
  #front: { value: Foreground; askedMs: number } | undefined;

  constructor(call: Call, session: PhoneSession, goal: SettleGoal, watch: StillWatch) {
    this.#call = call;
    this.#session = session;
    this.#goal = goal;
    this.#watch = watch;
    const { expect, observe } = goal;
    this.#needs = { tree: observe || expect?.needs.tree === true, front: observe || expect?.needs.front === true };
    this.#restedMs = goal.fromMs;
  }

  /** Reads when the screen rests and was not read since, when an expectation is not met yet, and when the screen is busy. */
  update(): void {
    if (this.#error !== undefined) throw this.#error;
    const { clock, trees } = this.#session;
    const watch = this.#watch;
    if (this.areCurrent) this.#confirmed = this.#dump;
    const now = clock.monotonicMs();
    if (watch.stillFor(REST_MS)) this.#restedMs = now;
    const isBusy = now - this.#restedMs >= BUSY_MS;
    if (isBusy) trees.hurry();
    if (this.#isReading || !(this.#needs.tree || this.#needs.front)) return;
    const sinceMs = now - this.#askedMs;
    const isDue =
      this.#askedMs < watch.changedMs
        ? watch.frame !== undefined && watch.frame.beganMs >= watch.changedMs
        : !this.#isComplete && sinceMs >= CHECK_AGAIN_MS;
    if (!isDue && !(isBusy && sinceMs >= BUSY_MS)) return;
    this.#isReading = true;
    this.#askedMs = now;
    this.#read(now)
      .catch((error: unknown) => (this.#error = error instanceof Error ? error : new Error(String(error))))
      .finally(() => (this.#isReading = false));
  }

  /** Whether the needed readings have arrived, are of the present screen, and the latest picture came after them. */
  get areCurrent(): boolean {
    const { changedMs, frame } = this.#watch;
    if (this.#needs.front && (this.#front === undefined || this.#front.askedMs < changedMs)) return false;
    if (!this.#needs.tree) return true;
    const dump = this.#dump;
    return dump !== undefined && dump.beganMs >= changedMs && frame !== undefined && dump.endedMs <= frame.endedMs;
  }

  /** A tree that could not be read although the pixels rest is enough, where there is no expectation that a later one could meet. */
  get areEnough(): boolean {
    return this.#isComplete || (this.#goal.expect === undefined && this.#dump !== undefined);
  }

  get metOnBusyScreen(): boolean {
    return this.#goal.expect !== undefined && this.#dumpedBusy && this.#isComplete;
  }

  outcome(): Settled {
    const { frame, changedMs } = this.#watch;
    const expectMet = this.#expectMet;
    if (frame === undefined) return { still: false, expectMet, state: undefined };
    const present = this.areCurrent;
    // The latest dump may have come after the last picture; on a still screen an earlier one is as good, and known to belong to it.
    const confirmed = this.#confirmed !== undefined && this.#confirmed.beganMs >= changedMs;
    const useConfirmed = !present && confirmed && !(expectMet && this.#goal.expect !== undefined);
    const dump = useConfirmed ? this.#confirmed : this.#dump;
    const consistent = (present || useConfirmed) && (!this.#needs.tree || dump?.tree !== undefined);
    return {
      still: this.#watch.stillFor(this.#goal.settleMs) && consistent,
      expectMet,
      state: { frame, dump, front: this.#front?.value ?? NO_FOREGROUND, consistent: consistent && dump !== undefined },
    };
  }

  /** Whether the tree is there, if it is needed, and the expectation is met. */
  get #isComplete(): boolean {
    return (!this.#needs.tree || this.#dump?.tree !== undefined) && this.#expectMet;
  }

  get #expectMet(): boolean {
    const { expect } = this.#goal;
    if (expect === undefined) return true;
    const front = this.#front?.value;
    return expect.holds(this.#content, expect.needs.tree && front ? foregroundOf(this.#dump?.tree, front) : front);
  }

  async #read(askedMs: number): Promise<void> {
    const [call, session] = [this.#call, this.#session];
    const readTree = async (): Promise<void> => {
      const dump = await session.trees.next(call);
      this.#dump = dump;
      this.#dumpedBusy = this.#watch.changedMs > dump.beganMs && dump.endedMs - this.#goal.fromMs >= BUSY_MS;
      const isExpected = this.#goal.expect?.needs.tree === true;
      this.#content = isExpected && dump.tree ? elementsOf(dump.tree, squareAround(session.phone.screen)) : undefined;
    };
    const readFront = async (): Promise<void> => {
      this.#front = { value: await readForeground(call, session), askedMs };
    };
    await Promise.all([this.#needs.tree && readTree(), this.#needs.front && readFront()]);
  }
}

/** Holds the screen in either orientation: whether an element is there does not depend on how it is turned. */
function squareAround({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const side = Math.max(width, height) || Number.MAX_SAFE_INTEGER;
  return { width: side, height: side };
}
