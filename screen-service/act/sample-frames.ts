import type { Call } from '../../kit/call.js';
import type { Frame } from '../capture/captures.js';
import type { KeptPhone } from '../phones/kept-phone.js';

/** A new picture is requested this long after the one before it at the least, ms. Slow phones have two under way, at even intervals. */
const EVERY_MS = 30;
const UNDER_WAY_MOST = 2;

/** A time in which fewer pictures will do. */
export interface Lull {
  /** When the next one is due, if the last one arrived at `lastMs`; monotonic ms. */
  nextMs: (lastMs: number) => number;
  /** Resolves at its end. */
  over: Promise<void>;
}

/**
 * Pictures of the screen, one after the other, in the order of their requests, until `untilMs` (monotonic); without a pause, except where
 * `lull` returns one.
 */
export async function* sampleFrames(
  call: Call,
  kept: KeptPhone,
  untilMs: number,
  lull: () => Lull | undefined = () => undefined,
): AsyncGenerator<Frame, void, undefined> {
  const { clock, captures } = kept;
  const underWay: Promise<Frame>[] = [];
  let nextMs = clock.monotonicMs();
  let lastMs = nextMs;
  for (;;) {
    call.signal.throwIfAborted();
    const now = clock.monotonicMs();
    if (now >= untilMs) return;
    const pause = lull();
    const most = pause === undefined ? UNDER_WAY_MOST : 1;
    const dueMs = Math.max(nextMs, pause?.nextMs(lastMs) ?? 0);
    if (underWay.length < most && now >= dueMs) {
      const frame = captures.next(call);
      void frame.catch(() => undefined); // Its failure is thrown when its turn comes, if it comes.
      underWay.push(frame);
      nextMs = now + Math.max(EVERY_MS, (captures.usualMs ?? 0) / UNDER_WAY_MOST);
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
    if (pause !== undefined) waits.push(pause.over.then(() => undefined));
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
