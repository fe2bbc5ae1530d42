import type { Clock, Timer } from '../../kit/async/clock.js';
import { FRAME_MS, type Motion } from '../ui/motion.js';

export interface ChangeSource {
  /** Returns everything that moves with time now. */
  motions(): Motion[];
  /** Whether the picture is plain black, so that no view changes it. */
  black(): boolean;
}

/**
 * Numbers the pictures of the screen without drawing them. Changes by apps are noted; motions are evaluated only
 * on request, so a phone without a viewer runs no timer.
 */
export class ChangeTracker {
  readonly #clock: Clock;
  readonly #source: ChangeSource;
  readonly #listeners = new Set<() => void>();
  #revision = 1;
  #wasBlack = false;
  #motions: Motion[] = [];
  #phases: number[] = [];
  #stale = true;
  #lastEventMs: number;
  #notifiedRevision = 0;
  #notifiedMs = -Infinity;
  #wake: Timer | undefined;

  constructor(clock: Clock, source: ChangeSource) {
    this.#clock = clock;
    this.#source = source;
    this.#lastEventMs = clock.monotonicMs();
  }

  get revision(): number {
    this.sync();
    return this.#revision;
  }

  /** Notes that something has changed now. */
  note(eventful: boolean): void {
    this.sync();
    if (eventful) this.#lastEventMs = this.#clock.monotonicMs();
    this.#stale = true;
    this.#grow();
    this.#arm();
  }

  #grow(): void {
    const black = this.#source.black();
    if (!black || !this.#wasBlack) this.#revision += 1;
    this.#wasBlack = black;
  }

  /** The time at which accessibility was last notified of a change. */
  get lastEventMs(): number {
    this.sync();
    return this.#lastEventMs;
  }

  /** The end of the motion that ends last; undefined when nothing moves. */
  get motionEndMs(): number | undefined {
    this.sync();
    const nowMs = this.#clock.monotonicMs();
    let endMs: number | undefined;
    for (const motion of this.#motions) {
      if (motion.endMs <= nowMs || motion.endMs === Infinity) continue;
      endMs = Math.max(endMs ?? 0, motion.endMs);
    }
    return endMs;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.sync();
    this.#notifiedRevision = this.#revision;
    this.#arm();
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size === 0) this.#disarm();
    };
  }

  /** Ends all timers. */
  close(): void {
    this.#listeners.clear();
    this.#disarm();
  }

  /** Brings the revision up to date. */
  sync(): void {
    const nowMs = this.#clock.monotonicMs();
    let moved = false;
    for (const [at, motion] of this.#motions.entries()) {
      if (motion.phase(nowMs) === this.#phases[at]) continue;
      moved = true;
      if (motion.eventful) this.#lastEventMs = Math.max(this.#lastEventMs, Math.min(nowMs, motion.endMs));
    }
    if (moved) this.#grow();
    else if (!this.#stale) return;
    this.#stale = false;
    this.#motions = this.#source.motions();
    this.#phases = this.#motions.map((motion) => motion.phase(nowMs));
    for (const { eventful, endMs } of this.#motions) {
      if (eventful) this.#lastEventMs = Math.max(this.#lastEventMs, Math.min(nowMs, endMs));
    }
  }

  /** Sets the timer that notifies listeners of the next change, at most once for each frame. */
  #arm(): void {
    if (this.#listeners.size === 0) return;
    this.#disarm();
    const nowMs = this.#clock.monotonicMs();
    const inMs = this.#revision !== this.#notifiedRevision ? 0 : this.#nextMoveMs(nowMs) - nowMs;
    if (inMs === Infinity) return;
    const sinceNotifiedMs = nowMs - this.#notifiedMs;
    this.#wake = this.#clock.after(Math.max(inMs, FRAME_MS - sinceNotifiedMs, 0), () => this.#notify());
  }

  #nextMoveMs(nowMs: number): number {
    this.sync();
    return this.#motions.reduce((soonest, motion) => {
      return motion.endMs <= nowMs ? soonest : Math.min(soonest, motion.nextMs(nowMs));
    }, Infinity);
  }

  #notify(): void {
    this.#wake = undefined;
    this.sync();
    if (this.#revision !== this.#notifiedRevision) {
      this.#notifiedRevision = this.#revision;
      this.#notifiedMs = this.#clock.monotonicMs();
      for (const listener of [...this.#listeners]) listener();
    }
    this.#arm();
  }

  #disarm(): void {
    this.#wake?.cancel();
    this.#wake = undefined;
  }
}
