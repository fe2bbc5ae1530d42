import { type Call, detachedCall, type OpenCall } from '../../kit/call/call.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { settle } from '../act/settle.js';
import type { Frame } from '../capture/captures.js';
import { foregroundOf } from '../display/foreground.js';
import { sameScreen } from '../observe/masks.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import type { TreeDump } from '../tree/tree-source.js';

/** How long the screen must be still after a gesture, ms, and how long that is waited for. */
const SETTLE_MS = 300;
const MAX_SETTLE_MS = 6_000;

/** Pauses after which the screen is looked at again, ms: content that comes late is read before somebody touches it. */
const LOOKS_MS: readonly number[] = [1_000, 2_000, 4_000, 8_000];

/** Longest time for everything after a gesture, ms. */
const MAX_AFTER_MS = 45_000;

/** A screen that was read after a gesture. */
export interface Reading {
  frame: Frame;
  /** Undefined: the tree could not be read. */
  dump: TreeDump | undefined;
  front: Foreground;
  /** Whether picture and tree are of one moment. */
  consistent: boolean;
  /** Whether the screen was still. */
  still: boolean;
  /** When it had been read, monotonic ms. */
  endedMs: number;
}

/** What is known of the screen when a gesture begins. */
export interface GestureBeginning {
  /** The latest tree, where nothing was sent to the phone since it was read. */
  dump: TreeDump | undefined;
  /** The picture that the tree was read with. Undefined: the tree was read for another caller. */
  readWith: Frame | undefined;
  /** The latest picture. */
  latest: Frame | undefined;
}

/**
 * Reads the screen after the gestures of people on live screens, so that timelines have words for what they touch. The screen after one
 * gesture is the screen before the next. A gesture that begins ends the reading after the one before: the screen would be that of both.
 */
export class GestureScreens {
  readonly #readings = new WeakMap<ObservedPhone, Reading>();
  readonly #underWay = new WeakMap<ObservedPhone, OpenCall>();

  /** Is called when a gesture begins, before its input is sent. */
  begin(phoneSession: ObservedPhone): GestureBeginning {
    this.#interrupt(phoneSession);
    const { trees, captures, inputs } = phoneSession;
    const dump = trees.latest;
    const isRecent = dump !== undefined && (dump.readMs ?? dump.beganMs) >= inputs.lastMs;
    const reading = this.#readings.get(phoneSession);
    const readWith = reading?.dump === dump ? reading?.frame : undefined;
    return { dump: isRecent ? dump : undefined, readWith, latest: captures.latest };
  }

  /**
   * Reads the screen once it is still. Undefined: a gesture began before, or the phone cannot be read. Afterwards it looks again a few
   * times, whether content has come late. `call` is that of the viewer, whose end does not end the reading.
   */
  async after(call: Call, phoneSession: ObservedPhone): Promise<Reading | undefined> {
    this.#interrupt(phoneSession);
    const own = detachedCall(call, { clock: phoneSession.clock, timeoutMs: MAX_AFTER_MS });
    this.#underWay.set(phoneSession, own);
    const first = await this.#read(own, phoneSession);
    void this.#lookAgain(own, phoneSession, first).finally(() => {
      own.end();
      if (this.#underWay.get(phoneSession) === own) this.#underWay.delete(phoneSession);
    });
    return first;
  }

  #interrupt(phoneSession: ObservedPhone): void {
    this.#underWay.get(phoneSession)?.abort(new Error('another gesture began'));
    this.#underWay.delete(phoneSession);
  }

  /** Reads the screen. It never rejects: a phone may stop, and a gesture may begin. */
  async #read(call: OpenCall, phoneSession: ObservedPhone): Promise<Reading | undefined> {
    const { clock, log } = phoneSession;
    const fromMs = clock.monotonicMs();
    const goal = { settleMs: SETTLE_MS, observe: true, expect: undefined, fromMs, untilMs: fromMs + MAX_SETTLE_MS };
    try {
      const { state, still } = await settle(call, phoneSession, goal);
      if (state === undefined || call.signal.aborted) return undefined;
      const { frame, dump, front, consistent } = state;
      const reading = {
        frame,
        dump,
        front: foregroundOf(dump?.tree, front),
        consistent,
        still,
        endedMs: clock.monotonicMs(),
      };
      this.#readings.set(phoneSession, reading);
      return reading;
    } catch (error) {
      log.debug({ err: error }, 'the screen after a gesture was not read');
      return undefined;
    }
  }

  async #lookAgain(call: OpenCall, phoneSession: ObservedPhone, first: Reading | undefined): Promise<void> {
    const { clock, captures, phone } = phoneSession;
    let reading = first;
    for (const pauseMs of LOOKS_MS) {
      try {
        await clock.sleep(pauseMs, call.signal);
      } catch {
        // The next gesture has begun.
        return;
      }
      const { latest } = captures;
      const isSame =
        latest === undefined ||
        (reading !== undefined && sameScreen(reading.frame.pixels, latest.pixels, phone.screen.density));
      if (!isSame) reading = (await this.#read(call, phoneSession)) ?? reading;
    }
  }
}
