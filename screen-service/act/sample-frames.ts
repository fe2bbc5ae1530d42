import type { Call } from '../../kit/call.js';
import type { Frame } from '../capture/captures.js';
import type { KeptPhone } from '../phones/kept-phone.js';

/** A new picture is requested this long after the one before it, ms, so that slow phones have two under way. */
const EVERY_MS = 30;
const UNDER_WAY_MOST = 2;

/** Pictures of the screen, one after the other, in the order of their requests, until `untilMs` (monotonic). */
export async function* sampleFrames(
  call: Call,
  kept: KeptPhone,
  untilMs: number,
): AsyncGenerator<Frame, void, undefined> {
  const { clock, captures } = kept;
  const underWay: Promise<Frame>[] = [];
  let nextMs = clock.monotonicMs();
  for (;;) {
    call.signal.throwIfAborted();
    const now = clock.monotonicMs();
    if (now >= untilMs) return;
    if (underWay.length < UNDER_WAY_MOST && now >= nextMs) {
      const frame = captures.next(call);
      void frame.catch(() => undefined); // Its failure is thrown when its turn comes, if it comes.
      underWay.push(frame);
      nextMs = now + EVERY_MS;
    }
    const wakeMs = Math.min(untilMs, underWay.length < UNDER_WAY_MOST ? nextMs : Infinity);
    const stop = new AbortController();
    const wake = clock.sleep(Math.max(0, wakeMs - now), stop.signal).then(
      () => undefined,
      () => undefined,
    );
    const first = underWay[0];
    let frame: Frame | undefined;
    try {
      frame = await (first === undefined ? wake : Promise.race([first, wake]));
    } finally {
      stop.abort();
    }
    if (frame === undefined) continue;
    void underWay.shift();
    yield frame;
  }
}
