import type { Call } from '../../kit/call.js';
import { readForeground } from '../app/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { ScreenState } from './observation.js';
import { nextPictureMs } from './picture-pace.js';
import { ScreenReading } from './screen-reading.js';
import { StillWatch } from './still-watch.js';

/** A screen that changed while it was read is read again: at most this often, and only within this time, ms. */
const TRIES_MOST = 3;
const TRIES_WITHIN_MS = 6_000;

/** A screen state with a dump, which may have no tree. */
export type ReadState = ScreenState & { dump: TreeDump };

/**
 * Reads picture, tree and app in front side by side, and a picture again at the end of the tree: when both pictures show the same,
 * everything is of one moment. Else it is read once more, beginning with the later picture, unless the screen is known to be busy.
 * `onFrame` is called with the first picture, which is most often the last one, too, so that its encoding need not wait for the tree.
 */
export async function readScreen(
  call: Call,
  kept: KeptPhone,
  onFrame: (frame: Frame) => void = () => undefined,
): Promise<ReadState> {
  const { captures, clock, phone } = kept;
  const startMs = clock.monotonicMs();
  const watch = new StillWatch({ density: phone.screen.density, startMs });
  const reading = new ScreenReading(call, kept, watch, { tree: true, front: true });
  const watched = kept.live.fresh();
  const first = (watched === undefined ? captures.next(call) : Promise.resolve(watched)).then((frame) => {
    onFrame(frame);
    watch.see(frame);
    return frame;
  });
  for (let tries = 1; ; tries++) {
    await watchDuring(call, kept, watch, first, reading.read(first));
    const { dump } = reading;
    const state = reading.state({ latest: true });
    if (state === undefined || dump === undefined) throw new Error('a reading ended without a picture or a dump');
    const isHopeless = dump.tree === undefined || dump.busy;
    const isLate = tries === TRIES_MOST || clock.monotonicMs() - startMs > TRIES_WITHIN_MS;
    if (state.consistent || isHopeless || isLate) return { ...state, dump };
  }
}

/**
 * Reads picture, tree and app in front side by side, once: for steps that go on with the elements at once, to which a picture that shows
 * whether they are of one moment is not worth its time.
 */
export async function readScreenOnce(call: Call, kept: KeptPhone): Promise<ReadState> {
  const { captures, trees } = kept;
  const [frame, dump, front] = await Promise.all([captures.next(call), trees.next(call), readForeground(call, kept)]);
  return { frame, dump, front, consistent: false };
}

/**
 * Shows the watch pictures while the tree is read, and one that arrived after it. A tree takes a second or two on a phone, and a picture
 * after it would cost a tenth of that again; so one is under way when the tree is expected.
 */
async function watchDuring(
  call: Call,
  kept: KeptPhone,
  still: StillWatch,
  first: Promise<Frame>,
  reading: Promise<void>,
): Promise<void> {
  const { captures, trees, clock } = kept;
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
      underWay = captures.next(call);
      await see(underWay).finally(() => (underWay = undefined));
    }
  };
  // Ends when it is stopped. A capture that fails here fails again as the last one.
  const watching = watch().catch(() => undefined);
  await reading.finally(() => stop.abort(new Error('the tree is there')));
  if (underWay === undefined) await see(captures.next(call));
  else await underWay;
  await watching;
}
