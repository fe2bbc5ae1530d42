import type { Shot } from '../capture/captures.js';
import { type Foreground, readForeground } from '../app/foreground.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementsOf } from '../tree/elements.js';
import { showsText } from '../tree/find-text.js';
import type { TreeReading } from '../tree/trees.js';
import { sampleShots } from './sample-shots.js';
import { StillWatch } from './still-watch.js';

export type Expectation = { text: string } | { gone: string } | { app: string };

export interface SettleGoal {
  /** How long the screen must be still, ms. */
  settleMs: number;
  /** Whether the tree must be had and be of the still screen. */
  tree: boolean;
  /** Whether the app in front is to be told. */
  front: boolean;
  expect: Expectation | undefined;
  /** When the last input had been sent, monotonic ms. */
  fromMs: number;
  /** Never waits beyond this, monotonic ms. */
  untilMs: number;
  signal: AbortSignal;
}

export interface Settled {
  /** The screen was still, and the tree could be had when it was asked for. */
  still: boolean;
  /** True when nothing was expected. */
  expectMet: boolean;
  /** The last picture; undefined when not even one arrived in time. */
  shot: Shot | undefined;
  reading: TreeReading | undefined;
  /** The reading is of the screen in the picture. */
  consistent: boolean;
  front: Foreground | undefined;
}

/** On a screen that never rests a tree is read this often all the same, so that there is one at the end, ms. */
const TREE_ANYWAY_MS = 2_000;

/** An expectation that has not come true is asked again this often on a screen whose pixels rest, ms. */
const ASK_AGAIN_MS = 400;

/**
 * Waits until the screen is still and what is expected has come true, or the time is up. Pixels are watched all the time; the
 * tree is read as soon as they rest, beside the wait for `settleMs`, and counts when nothing changed from before it was asked for
 * until after it arrived. (The tree alone misses animations that send no accessibility events; pixels alone miss late changes of
 * the tree. uiautomator itself waits for a second without such events.)
 */
export async function settle(session: PhoneSession, goal: SettleGoal): Promise<Settled> {
  const watch = new StillWatch({ density: session.phone.screen.density, startMs: goal.fromMs });
  const asker = new Asker(session, goal);
  for await (const shot of sampleShots(session, goal)) {
    if (watch.see(shot)) asker.screenChanged(shot);
    asker.throwIfFailed();
    asker.ask(watch);
    if (watch.stillFor(goal.settleMs) && asker.answered(shot)) {
      if (asker.satisfied) return asker.outcome(watch, true);
      if (asker.gaveUp) break;
    }
  }
  return asker.outcome(watch, false);
}

/** Reads tree and foreground beside the pictures, one at a time each, and knows whether they are of the present screen. */
class Asker {
  readonly #session: PhoneSession;
  readonly #goal: SettleGoal;
  readonly #needsTree: boolean;
  readonly #needsFront: boolean;
  #changedMs: number;
  #asking = false;
  #askedMs = -Infinity;
  #reading: TreeReading | undefined;
  #front: Foreground | undefined;
  #frontAskedMs = -Infinity;
  #error: Error | undefined;

  constructor(session: PhoneSession, goal: SettleGoal) {
    this.#session = session;
    this.#goal = goal;
    const { expect } = goal;
    this.#needsTree = goal.tree || (expect !== undefined && !('app' in expect));
    this.#needsFront = goal.front || (expect !== undefined && 'app' in expect);
    this.#changedMs = goal.fromMs;
  }

  screenChanged(shot: Shot): void {
    this.#changedMs = shot.endedMs;
  }

  throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error;
  }

  /** Asks when it is time to: the screen rests and nothing is known of it yet, or what is known is not what is waited for. */
  ask(watch: StillWatch): void {
    if (this.#asking || !(this.#needsTree || this.#needsFront)) return;
    const now = this.#session.clock.monotonicMs();
    const rests = watch.shot !== undefined && watch.shot.beganMs >= this.#changedMs;
    const known = this.#askedMs >= this.#changedMs;
    const again = known && !this.satisfied && now - this.#askedMs >= ASK_AGAIN_MS;
    const anyway = !rests && now - Math.max(this.#askedMs, this.#goal.fromMs) >= TREE_ANYWAY_MS;
    if (!((rests && !known) || again || anyway)) return;
    this.#asking = true;
    this.#askedMs = now;
    void this.#askBoth(now, anyway).then(
      () => (this.#asking = false),
      (error: unknown) => (this.#error = error instanceof Error ? error : new Error(String(error))),
    );
  }

  /** Whether what was asked for has arrived, is of the present screen, and `shot` came after it. */
  answered(shot: Shot): boolean {
    if (this.#needsFront && this.#frontAskedMs < this.#changedMs) return false;
    if (!this.#needsTree) return true;
    const reading = this.#reading;
    return reading !== undefined && reading.beganMs >= this.#changedMs && reading.endedMs <= shot.endedMs;
  }

  /** Whether the tree is there, if it is needed, and what is expected has come true. */
  get satisfied(): boolean {
    return (!this.#needsTree || this.#reading?.tree !== undefined) && this.expectMet;
  }

  get expectMet(): boolean {
    const { expect } = this.#goal;
    if (expect === undefined) return true;
    if ('app' in expect) return this.#front?.app === expect.app;
    const tree = this.#reading?.tree;
    if (tree === undefined) return false;
    // Where the bounds lie makes no difference to which texts there are, but for those outside the screen.
    const { width, height } = this.#session.phone.screen;
    const side = Math.max(width, height) || Number.MAX_SAFE_INTEGER;
    const { texts } = elementsOf(tree, { width: side, height: side });
    return 'text' in expect ? showsText(texts, expect.text) : !showsText(texts, expect.gone);
  }

  /** The tree could not be had although the pixels rest, and nothing is waited for that a later one could show. */
  get gaveUp(): boolean {
    return this.#goal.expect === undefined && this.#reading !== undefined && this.#reading.tree === undefined;
  }

  outcome(watch: StillWatch, still: boolean): Settled {
    const { shot } = watch;
    return {
      still: still || (shot !== undefined && watch.stillFor(this.#goal.settleMs) && this.#answeredWithTree(shot)),
      expectMet: this.expectMet,
      shot,
      reading: this.#reading,
      consistent: shot !== undefined && this.#reading !== undefined && this.answered(shot),
      front: this.#front,
    };
  }

  #answeredWithTree(shot: Shot): boolean {
    return this.answered(shot) && (!this.#needsTree || this.#reading?.tree !== undefined);
  }

  async #askBoth(askedMs: number, hurry: boolean): Promise<void> {
    await Promise.all([
      this.#needsTree && this.#session.trees.next({ hurry }).then((reading) => (this.#reading = reading)),
      this.#needsFront &&
        readForeground(this.#session).then((front) => {
          this.#front = front;
          this.#frontAskedMs = askedMs;
        }),
    ]);
  }
}
