import type { Call } from '../../kit/call.js';
import { type Foreground, NO_FOREGROUND } from '../../phone/screen/windows.js';
import { foregroundOf, readForeground } from '../app/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { ScreenState } from '../observe/observation.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf, type ScreenContent } from '../tree/elements.js';
import type { TreeDump } from '../tree/trees.js';
import type { UiTree } from '../tree/ui-node.js';
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
  const facts = new ScreenFacts(call, session, goal);
  for await (const frame of sampleFrames(call, session, goal.untilMs)) {
    if (watch.see(frame)) facts.screenChanged(frame);
    facts.throwIfFailed();
    facts.readWhenDue(watch);
    facts.confirm(frame);
    if (watch.stillFor(goal.settleMs) && facts.current(frame)) {
      if (facts.complete || facts.gaveUp) break;
    }
    if (facts.metOnBusyScreen) break;
  }
  return facts.outcome(watch);
}

/** Tree and app in front, read beside the pictures, one at a time each. Decides whether they are of the present screen. */
class ScreenFacts {
  readonly #call: Call;
  readonly #session: PhoneSession;
  readonly #goal: SettleGoal;
  readonly #needsTree: boolean;
  readonly #needsFront: boolean;
  #changedMs: number;
  #reading = false;
  #askedMs = -Infinity;
  #dump: TreeDump | undefined;
  /** The latest dump after which a picture showed the same as before it. */
  #confirmed: TreeDump | undefined;
  #front: Foreground | undefined;
  #frontAskedMs = -Infinity;
  #restedMs: number;
  /** The screen changed while the latest dump was made, and had the time to come to rest. */
  #dumpedBusy = false;
  /** What the latest dump shows, when something of it is expected. */
  #content: ScreenContent | undefined;
  #error: Error | undefined;

  constructor(call: Call, session: PhoneSession, goal: SettleGoal) {
    this.#call = call;
    this.#session = session;
    this.#goal = goal;
    const { expect } = goal;
    this.#needsTree = goal.observe || expect?.needs.tree === true;
    this.#needsFront = goal.observe || expect?.needs.front === true;
    this.#changedMs = goal.fromMs;
    this.#restedMs = goal.fromMs;
  }

  screenChanged(frame: Frame): void {
    this.#changedMs = frame.endedMs;
  }

  throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Reads when the screen rests and was not read since, when an expectation is not met yet, and when the screen is busy. */
  readWhenDue(watch: StillWatch): void {
    if (!(this.#needsTree || this.#needsFront)) return;
    const now = this.#session.clock.monotonicMs();
    const rests = watch.frame !== undefined && watch.frame.beganMs >= this.#changedMs;
    if (watch.stillFor(REST_MS)) this.#restedMs = now;
    const busy = now - this.#restedMs >= BUSY_MS;
    if (busy) this.#session.trees.hurry();
    if (this.#reading) return;
    const known = this.#askedMs >= this.#changedMs;
    const again = known && !this.complete && now - this.#askedMs >= CHECK_AGAIN_MS;
    const anyway = busy && now - this.#askedMs >= BUSY_MS;
    if (!((rests && !known) || again || anyway)) return;
    this.#reading = true;
    this.#askedMs = now;
    void this.#read(now).then(
      () => (this.#reading = false),
      (error: unknown) => (this.#error = error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Whether what is needed has arrived, is of the present screen, and `frame` came after it. */
  current(frame: Frame): boolean {
    if (this.#needsFront && this.#frontAskedMs < this.#changedMs) return false;
    if (!this.#needsTree) return true;
    const dump = this.#dump;
    return dump !== undefined && dump.beganMs >= this.#changedMs && dump.endedMs <= frame.endedMs;
  }

  confirm(frame: Frame): void {
    if (this.#needsTree && this.current(frame)) this.#confirmed = this.#dump;
  }

  /** Whether the tree is there, if it is needed, and the expectation is met. */
  get complete(): boolean {
    return (!this.#needsTree || this.#dump?.tree !== undefined) && this.#expectMet;
  }

  /** The tree could not be read although the pixels rest, and there is no expectation that a later one could meet. */
  get gaveUp(): boolean {
    return this.#goal.expect === undefined && this.#dump !== undefined && this.#dump.tree === undefined;
  }

  get metOnBusyScreen(): boolean {
    return this.#goal.expect !== undefined && this.#dumpedBusy && this.complete;
  }

  outcome(watch: StillWatch): Settled {
    const { frame } = watch;
    const expectMet = this.#expectMet;
    if (frame === undefined) return { still: false, expectMet, state: undefined };
    const present = this.current(frame);
    // The latest dump may have come after the last picture; on a still screen an earlier one is as good, and known to belong to it.
    const confirmed = this.#confirmed !== undefined && this.#confirmed.beganMs >= this.#changedMs;
    const useConfirmed = !present && confirmed && !(expectMet && this.#goal.expect !== undefined);
    const dump = useConfirmed ? this.#confirmed : this.#dump;
    const consistent = (present || useConfirmed) && (!this.#needsTree || dump?.tree !== undefined);
    return {
      still: watch.stillFor(this.#goal.settleMs) && consistent,
      expectMet,
      state: { frame, dump, front: this.#front ?? NO_FOREGROUND, consistent: consistent && dump !== undefined },
    };
  }

  get #expectMet(): boolean {
    const { expect } = this.#goal;
    if (expect === undefined) return true;
    const front = this.#front;
    return expect.holds(this.#content, expect.needs.tree && front ? foregroundOf(this.#dump?.tree, front) : front);
  }

  #contentOf(tree: UiTree | undefined): ScreenContent | undefined {
    if (tree === undefined || this.#goal.expect?.needs.tree !== true) return undefined;
    // Only whether there is an element matters here, so a square that holds the screen in either orientation will do.
    const { width, height } = this.#session.phone.screen;
    const side = Math.max(width, height) || Number.MAX_SAFE_INTEGER;
    return elementsOf(tree, { width: side, height: side });
  }

  async #read(askedMs: number): Promise<void> {
    await Promise.all([
      this.#needsTree &&
        this.#session.trees.next(this.#call).then((dump) => {
          this.#dump = dump;
          this.#dumpedBusy = this.#changedMs > dump.beganMs && dump.endedMs - this.#goal.fromMs >= BUSY_MS;
          this.#content = this.#contentOf(dump.tree);
        }),
      this.#needsFront &&
        readForeground(this.#call, this.#session).then((front) => {
          this.#front = front;
          this.#frontAskedMs = askedMs;
        }),
    ]);
  }
}
