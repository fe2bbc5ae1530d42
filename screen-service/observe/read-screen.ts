import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import { readForeground } from '../display/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { ObservedPhone } from './observed-phone.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { ScreenState } from './observation.js';
import { nextPictureMs } from './picture-pace.js';
import { ScreenReading } from './screen-reading.js';
import { StillWatch } from './still-watch.js';

/** A screen that changed while it was read is read again. There are at most this many readings, and none begins after this time, ms. */
const MAX_TRIES = 3;
const TRIES_WITHIN_MS = 6_000;

/** A screen state with a dump, which may have no tree. */
export type ReadState = ScreenState & { dump: TreeDump };

/**
 * Reads picture, tree and app in front side by side, and another picture when the tree has arrived. When both pictures show the same,
 * everything is of one moment. Otherwise the screen is read again, beginning with the later picture, unless it is known to be busy.
 * `onFrame` is called with the first picture, which most often is the final one, so that its encoding need not wait for the tree.
 */
export async function readScreen(
  call: Call,
  phoneSession: ObservedPhone,
  onFrame: (frame: Frame) => void = () => undefined,
): Promise<ReadState> {
  const { captures, clock, phone } = phoneSession;
  const startMs = clock.monotonicMs();
  const watch = new StillWatch({ density: phone.screen.density, startMs });
  const reading = new ScreenReading(call, phoneSession, watch, { tree: true, front: true });
  const watched = phoneSession.live.fresh();
  const first = begunAhead(
    (watched === undefined ? captures.next(call) : Promise.resolve(watched)).then((frame) => {
      onFrame(frame);
      watch.see(frame);
      return frame;
    }),
  );
  for (let tries = 1; ; tries++) {
    await watchDuring(call, phoneSession, watch, first, begunAhead(reading.read(first)));
    const { dump } = reading;
    const state = reading.state({ latest: true });
    if (state === undefined || dump === undefined) throw new Error('a reading ended without a picture or a dump');
    const isHopeless = dump.tree === undefined || dump.busy;
    const isLate = tries === MAX_TRIES || clock.monotonicMs() - startMs > TRIES_WITHIN_MS;
    if (state.consistent || isHopeless || isLate) return { ...state, dump };
  }
}

/**
 * Reads picture, tree and app in front side by side, once. It is for steps that use the elements at once. A second picture, which would
 * show whether all is of one moment, is not worth its time to them.
 */
export async function readScreenOnce(call: Call, phoneSession: ObservedPhone): Promise<ReadState> {
  const { captures, trees } = phoneSession;
  const [frame, dump, front] = await Promise.all([
    captures.next(call),
    trees.next(call),
    readForeground(call, phoneSession),
  ]);
  return { frame, dump, front, consistent: false };
}

/**
 * Passes pictures to the watch while the tree is read, and ends with a picture that arrived after the tree. A tree takes a second or two on
 * a phone, and a picture after it would take a tenth of that again. So a picture is under way when the tree is expected.
 */
async function watchDuring(
  call: Call,
  phoneSession: ObservedPhone,
  still: StillWatch,
  first: Promise<Frame>,
  reading: Promise<void>,
): Promise<void> {
  const { captures, trees, clock } = phoneSession;
  const usual = { treeMs: trees.usualMs, captureMs: captures.usualMs };
  const askedMs = clock.monotonicMs();
  const stop = new AbortController();
  let underWay: Promise<Frame> | undefined;
  const see = async (next: Promise<Frame>): Promise<void> => {
    await first;
    still.see(await next);
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const now = clock.monotonicMs();
      await clock.sleep(nextPictureMs(now, askedMs, usual) - now, stop.signal);
      underWay = begunAhead(captures.next(call));
      await see(underWay).finally(() => (underWay = undefined));
    }
  };
  // A failed capture ends the watch without an error. The last capture below then fails as well, and its error is thrown.
  const watching = watch().catch(() => undefined);
  await reading.finally(() => stop.abort(new Error('the tree is there')));
  if (underWay === undefined) await see(begunAhead(captures.next(call)));
  else await underWay;
  await watching;
}
