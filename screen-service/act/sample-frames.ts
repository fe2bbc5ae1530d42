import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import type { Frame } from '../capture/captures.js';
import type { ObservedPhone } from '../observe/observed-phone.js';

/** The shortest time between the requests of two pictures, ms. A slow phone has two requests under way, at even intervals. */
const EVERY_MS = 30;
const MAX_UNDER_WAY = 2;

/** A time in which fewer pictures will do. */
export interface Lull {
  /** Returns when the next picture is due, if the last one arrived at `lastMs`; monotonic ms. */
  nextMs: (lastMs: number) => number;
  /** Resolves at the end of the lull. Absent: only a picture may end it. */
  over?: Promise<void>;
}

/** When pictures are requested. */
export interface Pace {
  /** The present lull. Undefined: pictures are taken without a pause. */
  readonly lull: Lull | undefined;
  /** The earliest time at which a requested picture most likely ends the wait, monotonic ms. Undefined: it is not known. */
  readonly aimMs: number | undefined;
}

/**
 * Yields pictures of the screen in the order of their requests, until `untilMs` (monotonic). It takes fewer pictures during a lull. A picture
 * that would be requested shortly before the aim is requested at the aim: the wait would else end up to an interval later.
 */
export async function* sampleFrames(
  call: Call,
  phoneSession: ObservedPhone,
  untilMs: number,
  pace: Pace,
): AsyncGenerator<Frame, void, undefined> {
  const { clock, captures } = phoneSession;
  const underWay: Promise<Frame>[] = [];
  let nextMs = clock.monotonicMs();
  let lastMs = nextMs;
  for (;;) {
    call.signal.throwIfAborted();
    const now = clock.monotonicMs();
    if (now >= untilMs) return;
    const { lull: pause, aimMs = -Infinity } = pace;
    const most = pause === undefined ? MAX_UNDER_WAY : 1;
    const intervalMs = Math.max(EVERY_MS, (captures.usualMs ?? 0) / MAX_UNDER_WAY);
    const earliestMs = Math.max(nextMs, pause?.nextMs(lastMs) ?? 0);
    const dueMs = aimMs > earliestMs && aimMs < earliestMs + intervalMs ? aimMs : earliestMs;
    if (underWay.length < most && now >= dueMs) {
      const frame = begunAhead(captures.next(call));
      underWay.push(frame);
      nextMs = now + intervalMs;
      continue;
    }
    const wakeMs = Math.min(untilMs, underWay.length < most ? dueMs : Infinity);
    const stop = new AbortController();
    const wake = clock.sleep(Math.max(0, wakeMs - now), stop.signal).then(
      () => undefined,
      () => undefined,
    );
    const [first] = underWay;
    const waits: Promise<Frame | undefined>[] = [wake];
    if (first !== undefined) waits.unshift(first);
    if (pause?.over !== undefined) waits.push(begunAhead(pause.over.then(() => undefined)));
    let frame: Frame | undefined;
    try {
      frame = await Promise.race(waits);
    } finally {
      stop.abort();
    }
    if (frame === undefined) continue;
    void underWay.shift();
    lastMs = clock.monotonicMs();
    yield frame;
  }
}
