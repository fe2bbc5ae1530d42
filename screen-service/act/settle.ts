import type { Call } from '../../kit/call.js';
import { foregroundOf } from '../app/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { ScreenState } from '../observe/observation.js';
import { contentOf } from '../observe/observe.js';
import { nextPictureMs } from '../observe/picture-pace.js';
import { type ReadParts, ScreenReading } from '../observe/screen-reading.js';
import { StillWatch } from '../observe/still-watch.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { ScreenContent } from '../tree/elements.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { ExpectedScreen } from './expectation.js';
import { type Lull, sampleFrames } from './sample-frames.js';

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
  /** A picture since whose request nothing was sent to the phone: the time in which the screen is still counts from there. Absent: none. */
  seen?: Frame | undefined;
  /** A tree that was requested while the input was still on its way. Absent: none. */
  requested?: RequestedTree | undefined;
}

/** A tree on its way. */
export interface RequestedTree {
  dump: Promise<TreeDump>;
  /** Monotonic, ms. */
  askedMs: number;
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
 * tree is read beside the wait for `settleMs`, and counts when nothing changed from when it was read to its arrival. It is requested
 * as soon as they rest, or at once where its source waits for quiet by itself. (The tree alone misses animations that send no
 * accessibility events; pixels alone miss late changes of the tree. uiautomator itself waits for a second without such events.) On a busy
 * screen it returns as soon as the expectation is met.
 */
export async function settle(call: Call, kept: KeptPhone, goal: SettleGoal): Promise<Settled> {
  const { seen, fromMs } = goal;
  const watch = new StillWatch({ density: kept.phone.screen.density, startMs: seen?.beganMs ?? fromMs });
  if (seen !== undefined) watch.see(seen);
  const wait = new SettleWait(call, kept, goal, watch);
  wait.update();
  for await (const frame of sampleFrames(call, kept, goal.untilMs, () => wait.lull)) {
    watch.see(frame);
    wait.update();
    if (wait.isOver) break;
  }
  return wait.outcome();
}

/** Decides when tree and app in front are read beside the pictures, and when they are enough. */
class SettleWait {
  readonly #kept: KeptPhone;
  readonly #goal: SettleGoal;
  readonly #watch: StillWatch;
  readonly #parts: ReadParts;
  readonly #reading: ScreenReading;
  /** Absent once it was used. */
  #requested: RequestedTree | undefined;
  /** The reading that is under way. */
  #underWay: Promise<void> | undefined;
  #isReadingFront = false;
  #error: Error | undefined;
  #askedMs = -Infinity;
  #restedMs: number;
  /** The screen changed while the latest dump was made, and had the time to come to rest. */
  #dumpedBusy = false;
  /** The content of the latest dump, when something of it is expected. */
  #content: ScreenContent | undefined;

  constructor(call: Call, kept: KeptPhone, goal: SettleGoal, watch: StillWatch) {
    this.#kept = kept;
    this.#goal = goal;
    this.#watch = watch;
    const { expect, observe } = goal;
    this.#parts = { tree: observe || expect?.needs.tree === true, front: observe || expect?.needs.front === true };
    this.#reading = new ScreenReading(call, kept, watch, this.#parts);
    this.#restedMs = goal.fromMs;
    this.#requested = goal.requested;
  }

  /** Reads when the screen rests and was not read since, when an expectation is not met yet, and when the screen is busy. */
  update(): void {
    if (this.#error !== undefined) throw this.#error;
    const { clock, trees } = this.#kept;
    const watch = this.#watch;
    this.#reading.confirm();
    const now = clock.monotonicMs();
    if (watch.stillFor(REST_MS)) this.#restedMs = now;
    const isBusy = now - this.#restedMs >= BUSY_MS;
    if (isBusy) trees.hurry();
    const isStill = watch.frame !== undefined && watch.frame.beganMs >= watch.changedMs;
    // Beside the tree, which takes longer.
    if (isStill && this.#parts.tree && this.#parts.front && !this.#isReadingFront && !this.#reading.isFrontRecent) {
      this.#isReadingFront = true;
      void this.#try(this.#reading.readFront()).finally(() => (this.#isReadingFront = false));
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
    this.#underWay = this.#try(this.#read(requested?.dump)).finally(() => (this.#underWay = undefined));
  }

  /** Its failure ends the wait. */
  async #try(reading: Promise<void>): Promise<void> {
    try {
      await reading;
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(String(error));
    }
  }

  /**
   * Set while only the arrival of a tree is waited for, which has been read by now: from then on it matters whether something changes, and
   * not when.
   */
  get lull(): Lull | undefined {
    const { clock, trees, captures } = this.#kept;
    const [askedMs, over] = [this.#askedMs, this.#underWay];
    if (over === undefined || !this.#parts.tree || !this.#watch.stillFor(this.#goal.settleMs)) return undefined;
    if (clock.monotonicMs() < askedMs + trees.aheadMs) return undefined;
    const usual = { treeMs: trees.usualMs, captureMs: captures.usualMs };
    return { over, nextMs: (lastMs) => nextPictureMs(lastMs, askedMs, usual) };
  }

  /**
   * Whether the screen is still and was read, or the expectation is met on a busy screen. Where nothing is expected that a later tree
   * could meet, a tree that could not be read although the pixels rest is enough.
   */
  get isOver(): boolean {
    const { expect, settleMs } = this.#goal;
    if (expect !== undefined && this.#dumpedBusy && this.#isComplete) return true;
    const isEnough = this.#isComplete || (expect === undefined && this.#reading.dump !== undefined);
    return this.#watch.stillFor(settleMs) && this.#reading.isCurrent && isEnough;
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
    this.#dumpedBusy =
      this.#watch.changedMs > (dump.readMs ?? dump.beganMs) && dump.endedMs - this.#goal.fromMs >= BUSY_MS;
    const isExpected = this.#goal.expect?.needs.tree === true;
    this.#content =
      isExpected && dump.tree ? contentOf(dump.tree, squareAround(this.#kept.phone.screen), this.#kept) : undefined;
  }
}

/** Holds the screen in either orientation: whether an element is there does not depend on how it is turned. */
function squareAround({ width, height }: { width: number; height: number }): { width: number; height: number } {
  const side = Math.max(width, height) || Number.MAX_SAFE_INTEGER;
  return { width: side, height: side };
}
