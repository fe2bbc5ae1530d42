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

/**
 * Yields pictures of the screen in the order of their requests, until `untilMs` (monotonic). It takes fewer pictures while `lull` returns a
 * lull.
 */
export async function* sampleFrames(
  call: Call,
  phoneSession: ObservedPhone,
  untilMs: number,
  lull: () => Lull | undefined = () => undefined,
): AsyncGenerator<Frame, void, undefined> {
  const { clock, captures } = phoneSession;
  const underWay: Promise<Frame>[] = [];
  let nextMs = clock.monotonicMs();
  let lastMs = nextMs;
  for (;;) {
    call.signal.throwIfAborted();
    const now = clock.monotonicMs();
    if (now >= untilMs) return;
    const pause = lull();
    const most = pause === undefined ? MAX_UNDER_WAY : 1;
    const dueMs = Math.max(nextMs, pause?.nextMs(lastMs) ?? 0);
    if (underWay.length < most && now >= dueMs) {
      const frame = begunAhead(captures.next(call));
      underWay.push(frame);
      nextMs = now + Math.max(EVERY_MS, (captures.usualMs ?? 0) / MAX_UNDER_WAY);
    }
    const wakeMs = Math.min(untilMs, underWay.length < most ? Math.max(nextMs, dueMs) : Infinity);
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
