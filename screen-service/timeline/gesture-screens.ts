import { begunAhead } from '../../kit/async/begun-ahead.js';
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
  /** A picture that is not newer than the tree: `frame` where both are of one moment. Undefined: there is none. */
  readWith: Frame | undefined;
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
  /** The picture that the tree was read with, or one from before. Undefined: the tree was read for another caller. */
  readWith: Frame | undefined;
  /** The latest picture. */
  latest: Frame | undefined;
}

/**
 * Reads the screen after the gestures of people on live screens, so that timelines have words for what they touch. The screen after one
 * gesture is the screen before the next. A gesture that begins ends the reading after the one before: the screen would be that of both.
 */
export class GestureScreens {
  readonly #looksMs: readonly number[];
  readonly #readings = new WeakMap<ObservedPhone, Reading>();
  readonly #underWay = new WeakMap<ObservedPhone, OpenCall>();
  readonly #open = new Set<OpenCall>();
  #isClosed = false;

  /** `looksMs`: the pauses after which it looks for late content. Absent: those of people's patience. */
  constructor(looksMs: readonly number[] = LOOKS_MS) {
    this.#looksMs = looksMs;
  }

  /** Is called when a gesture begins, before its input is sent. */
  begin(phoneSession: ObservedPhone): GestureBeginning {
    this.#interrupt(phoneSession);
    const { trees, captures, inputs } = phoneSession;
    const dump = trees.latest;
    const isRecent = dump !== undefined && (dump.readMs ?? dump.beganMs) >= inputs.lastMs;
    const reading = this.#readings.get(phoneSession);
    const own = reading?.dump === dump ? reading : undefined;
    // Where the screen changed during a reading and no picture was before it, its tree may be of an earlier screen.
    const isSure = own === undefined || own.readWith !== undefined;
    return { dump: isRecent && isSure ? dump : undefined, readWith: own?.readWith, latest: captures.latest };
  }

  /**
   * Reads the screen once it is still. Undefined: a gesture began before, or the phone cannot be read. Afterwards it looks again a few
   * times, whether content has come late. `call` is that of the viewer, whose end does not end the reading.
   */
  async after(call: Call, phoneSession: ObservedPhone): Promise<Reading | undefined> {
    this.#interrupt(phoneSession);
    if (this.#isClosed) return undefined;
    const own = detachedCall(call, { clock: phoneSession.clock, timeoutMs: MAX_AFTER_MS });
    this.#underWay.set(phoneSession, own);
    this.#open.add(own);
    const first = await this.#read(own, phoneSession);
    void begunAhead(this.#lookAgain(own, phoneSession, first));
    return first;
  }

  /** Reads the screen when a viewer opens, for its first gesture. It does nothing while a gesture is read. */
  async open(call: Call, phoneSession: ObservedPhone): Promise<void> {
    if (!this.#underWay.has(phoneSession)) await this.after(call, phoneSession);
  }

  /** Ends all readings, and begins no further one: entries that wait for one are made without it. */
  close(): void {
    this.#isClosed = true;
    for (const call of this.#open) call.abort(new Error('the service stops'));
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
      const { frame, dump, front, consistent, readAfter } = state;
      const reading = {
        frame,
        readWith: consistent ? frame : readAfter,
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

  /** Looks for late content until the next gesture begins, and ends the call. */
  async #lookAgain(call: OpenCall, phoneSession: ObservedPhone, first: Reading | undefined): Promise<void> {
    const { clock, captures, phone, log } = phoneSession;
    let reading = first;
    const isSame = (latest: Frame): boolean =>
      reading !== undefined && sameScreen(reading.frame.pixels, latest.pixels, phone.screen.density);
    try {
      for (const pauseMs of this.#looksMs) {
        const sinceMs = clock.monotonicMs();
        await clock.sleep(pauseMs, call.signal);
        const { latest } = captures;
        // Viewers of video take no pictures.
        const frame = latest !== undefined && latest.beganMs >= sinceMs ? latest : await captures.next(call);
        if (!isSame(frame)) reading = (await this.#read(call, phoneSession)) ?? reading;
      }
    } catch (error) {
      if (!call.signal.aborted) log.debug({ err: error }, 'late content after a gesture was not looked for');
    } finally {
      call.end();
      this.#open.delete(call);
      if (this.#underWay.get(phoneSession) === call) this.#underWay.delete(phoneSession);
    }
  }
}
