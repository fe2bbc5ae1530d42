import type { Call } from '../../kit/call/call.js';
import { foregroundOf } from '../display/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { ScreenState } from '../observe/observation.js';
import { contentOf } from '../observe/observe.js';
import { nextPictureMs, type UsualTimes, withTreeMs } from '../observe/picture-pace.js';
import { type ReadParts, ScreenReading } from '../observe/screen-reading.js';
import { StillWatch } from '../observe/still-watch.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import type { ScreenContent } from '../tree/elements.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { ExpectedScreen } from './expectation.js';
import { type Lull, type Pace, sampleFrames } from './sample-frames.js';

export interface SettleGoal {
  /** How long the screen must be still, ms. */
  settleMs: number;
  /** Whether the tree and the app in front must be read while the screen is still. */
  observe: boolean;
  expect: ExpectedScreen | undefined;
  /** When the last input had been sent, monotonic ms. */
  fromMs: number;
  /** When the wait ends at the latest, monotonic ms. */
  untilMs: number;
  /** A picture that was requested after the last input. The screen counts as still from that request at the earliest. Absent: none. */
  seen?: Frame | undefined;
  /** Since when `seen` shows the screen as it was then, as earlier pictures have shown, monotonic ms. Absent: since its request. */
  stillSinceMs?: number | undefined;
  /** A tree that was requested while the input was still on its way. Absent: none. */
  requested?: RequestedTree | undefined;
  /** Called once for each screen that rests, with a picture that most likely is the final one. Absent: nothing is called. */
  onRest?: ((frame: Frame) => void) | undefined;
}

/** A tree on its way. */
export interface RequestedTree {
  dump: Promise<TreeDump>;
  /** Monotonic, ms. */
  askedMs: number;
}

export interface Settled {
  /** Whether the screen was still, and its tree was read when one was needed. */
  still: boolean;
  /** True when nothing was expected. */
  expectMet: boolean;
  /** The state of the screen. Undefined when no picture arrived in time. */
  state: ScreenState | undefined;
}

/** A screen that has not rested for this time is busy: its tree is then read without waiting for a rest, ms. */
const BUSY_MS = 2_000;

/**
 * The pause after each picture of a busy screen, ms. Such a screen often never rests, and each picture costs the phone a capture. A rest is
 * found this much later at most.
 */
const BUSY_PAUSE_MS = 100;

/** How long the pixels must be still to count as a rest, ms. */
const REST_MS = 300;

/** The least time in which the pixels must be still for `onRest`, ms, so that it is not called for each picture of an animation. */
const MIN_REST_MS = 100;

/** An expectation that has not come true is checked again this often on a screen whose pixels rest, ms. */
const CHECK_AGAIN_MS = 400;

/**
 * Waits until the screen is still and the expectation is met, or the time is up. On a busy screen the wait ends as soon as the expectation
 * is met.
 *
 * Pictures are taken all the time, as the tree alone misses animations that send no accessibility events. The tree is also read, during the
 * wait for `settleMs`, as pictures alone miss late changes of the tree. A tree counts when nothing changed between its reading and its
 * arrival. The tree is requested as soon as the pixels rest. A source that waits for quiet by itself, as uiautomator does, is asked at
 * once.
 */
export async function settle(call: Call, phoneSession: ObservedPhone, goal: SettleGoal): Promise<Settled> {
  const { seen, fromMs, stillSinceMs = seen?.beganMs ?? fromMs } = goal;
  const watch = new StillWatch({ density: phoneSession.phone.screen.density, startMs: stillSinceMs });
  if (seen !== undefined) watch.see(seen);
  const wait = new SettleWait(call, phoneSession, goal, watch);
  try {
    wait.update();
    for await (const frame of sampleFrames(call, phoneSession, goal.untilMs, wait)) {
      const { changedMs } = watch;
      watch.see(frame);
      if (watch.changedMs !== changedMs) phoneSession.trees.noteChange();
      wait.update();
      if (wait.isOver) break;
    }
  } finally {
    wait.end();
  }
  return wait.outcome();
}

/** Decides when the tree and the app in front are read during the wait, and when the wait is over. */
class SettleWait implements Pace {
  readonly #phoneSession: ObservedPhone;
  readonly #goal: SettleGoal;
  readonly #watch: StillWatch;
  readonly #parts: ReadParts;
  readonly #reading: ScreenReading;
  /** The tree that was requested while the input was on its way; absent once it was used. */
  #requested: RequestedTree | undefined;
  /** The reading that is under way. */
  #underWay: Promise<void> | undefined;
  #isReadingFront = false;
  #hasEnded = false;
  /** The change after which `onRest` was called, as its time; undefined before the first call. */
  #calledForMs: number | undefined;
  #error: Error | undefined;
  #askedMs = -Infinity;
  #restedMs: number;
  /** Whether the screen changed during the latest dump, or after it while busy. The dump ended at least `BUSY_MS` after the last input. */
  #dumpedBusy = false;
  /** The content of the latest dump. Absent: the expectation needs no tree, or the dump has none. */
  #content: ScreenContent | undefined;

  constructor(call: Call, phoneSession: ObservedPhone, goal: SettleGoal, watch: StillWatch) {
    this.#phoneSession = phoneSession;
    this.#goal = goal;
    this.#watch = watch;
    const { expect, observe } = goal;
    this.#parts = { tree: observe || expect?.needs.tree === true, front: observe || expect?.needs.front === true };
    this.#reading = new ScreenReading(call, phoneSession, watch, this.#parts);
    this.#restedMs = Math.max(goal.fromMs, phoneSession.clock.monotonicMs());
    this.#requested = goal.requested;
  }

  /**
   * Begins a reading when the screen rests and no reading is newer. It also begins one while an expectation is not met, and while the
   * screen is busy.
   */
  update(): void {
    if (this.#error !== undefined) throw this.#error;
    const { clock, trees } = this.#phoneSession;
    const watch = this.#watch;
    this.#reading.confirm();
    const now = clock.monotonicMs();
    if (watch.stillFor(REST_MS)) this.#restedMs = now;
    const isBusy = this.#isBusy;
    if (isBusy) trees.hurry();
    if (isBusy && this.#isDumpLate && !this.#reading.isRecent) this.#dumpedBusy = true;
    const isStill = watch.isSame;
    this.#callOnRest();
    // The app in front is read beside the tree, which takes longer.
    if (isStill && this.#parts.tree && this.#parts.front && !this.#isReadingFront && !this.#reading.isFrontRecent) {
      this.#isReadingFront = true;
      void this.#try(this.#reading.readFront(), () => (this.#isReadingFront = false));
    }
    if (this.#underWay !== undefined || !(this.#parts.tree || this.#parts.front)) return;
    const sinceMs = now - this.#askedMs;
    const isFirst = this.#parts.tree && this.#askedMs === -Infinity;
    const isDue =
      this.#askedMs < watch.changedMs
        ? !this.#reading.isRecent && (isStill || (isFirst && trees.aheadMs > 0))
        : !this.#isComplete && sinceMs >= CHECK_AGAIN_MS;
    if (!isDue && !(isBusy && sinceMs >= BUSY_MS)) return;
    const requested = this.#requested;
    this.#requested = undefined;
    this.#askedMs = requested?.askedMs ?? now;
    this.#underWay = this.#try(this.#read(requested?.dump), () => {
      this.#underWay = undefined;
      // A tree of an earlier screen is read again at once.
      if (!this.#hasEnded && this.#error === undefined) this.update();
    });
  }

  #callOnRest(): void {
    const { onRest, settleMs } = this.#goal;
    const { frame, changedMs } = this.#watch;
    if (onRest === undefined || frame === undefined || this.#calledForMs === changedMs) return;
    if (!this.#watch.isSame || !this.#watch.stillFor(Math.max(MIN_REST_MS, settleMs / 2))) return;
    this.#calledForMs = changedMs;
    onRest(frame);
  }

  /** Awaits a reading. It never rejects: a failure ends the whole wait. */
  async #try(reading: Promise<void>, onEnd: () => void): Promise<void> {
    try {
      await reading;
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error));
    } finally {
      onEnd();
    }
  }

  /**
   * Describes the time in which only the arrival of a requested tree is awaited, and the screen is still. The tree has been read by then. So
   * it matters whether something changes, but not when. A busy screen is a lull too. Undefined at other times.
   */
  get lull(): Lull | undefined {
    if (this.#isBusy) return { nextMs: (lastMs) => lastMs + BUSY_PAUSE_MS };
    const { clock, trees } = this.#phoneSession;
    const [askedMs, over] = [this.#askedMs, this.#underWay];
    if (over === undefined || !this.#parts.tree || !this.#watch.stillFor(this.#goal.settleMs)) return undefined;
    if (clock.monotonicMs() < askedMs + trees.aheadMs) return undefined;
    return { over, nextMs: (lastMs) => nextPictureMs(lastMs, askedMs, this.#usual) };
  }

  /** The picture that ends the wait must show the rest, and arrive after the tree. */
  get aimMs(): number {
    const restMs = this.#watch.stillFromMs(this.#goal.settleMs, this.#usual.captureMs ?? 0);
    const isReading = this.#parts.tree && this.#underWay !== undefined;
    return isReading ? Math.max(restMs, withTreeMs(this.#askedMs, this.#usual)) : restMs;
  }

  get #usual(): UsualTimes {
    const { trees, captures } = this.#phoneSession;
    return { treeMs: trees.usualMs, captureMs: captures.usualMs };
  }

  get #isBusy(): boolean {
    return this.#phoneSession.clock.monotonicMs() - this.#restedMs >= BUSY_MS;
  }

  /** Whether the latest dump ended at least `BUSY_MS` after the last input. */
  get #isDumpLate(): boolean {
    const { dump } = this.#reading;
    return dump !== undefined && dump.endedMs - this.#goal.fromMs >= BUSY_MS;
  }

  /**
   * Whether the wait is over: the screen is still and was read, or it is busy and the expectation is met. Without an expectation, a dump
   * without a tree is enough: the tree could not be read although the pixels rest.
   */
  get isOver(): boolean {
    const { expect, settleMs } = this.#goal;
    if (expect !== undefined && this.#dumpedBusy && this.#isComplete) return true;
    const isEnough = this.#isComplete || (expect === undefined && this.#reading.dump !== undefined);
    return this.#watch.stillFor(settleMs) && this.#reading.isCurrent && isEnough;
  }

  /** Begins no reading from now on. */
  end(): void {
    this.#hasEnded = true;
  }

  outcome(): Settled {
    const { expect, settleMs } = this.#goal;
    const expectMet = this.#expectMet;
    const state = this.#reading.state({ latest: expectMet && expect !== undefined });
    const isRead = this.#parts.tree ? state?.consistent === true : this.#reading.isCurrent;
    return { still: this.#watch.stillFor(settleMs) && isRead, expectMet, state };
  }

  /** Whether the tree is there, if it is needed, and the expectation is met. */
  get #isComplete(): boolean {
    return (!this.#parts.tree || this.#reading.dump?.tree !== undefined) && this.#expectMet;
  }

  get #expectMet(): boolean {
    const { expect } = this.#goal;
    if (expect === undefined) return true;
    const { dump, front } = this.#reading;
    return expect.holds(this.#content, expect.needs.tree && front ? foregroundOf(dump?.tree, front) : front);
  }

  async #read(requested: Promise<TreeDump> | undefined): Promise<void> {
    if (this.#parts.tree) {
      await this.#reading.readTree(requested);
      await this.#reading.matchFront();
    } else await this.#reading.readFront();
    const { dump } = this.#reading;
    if (dump === undefined) return;
    this.#dumpedBusy = this.#isDumpLate && this.#watch.changedMs > (dump.readMs ?? dump.beganMs);
    const isExpected = this.#goal.expect?.needs.tree === true;
    this.#content =
      isExpected && dump.tree
        ? contentOf(dump.tree, squareAround(this.#phoneSession.phone.screen), this.#phoneSession)
        : undefined;
  }
}

/** Returns a square that holds the screen in either orientation, as an element counts as present however the screen is turned. */
function squareAround({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const side = Math.max(width, height) || Number.MAX_SAFE_INTEGER;
  return { width: side, height: side };
}
