import type { Call } from '../../kit/call.js';
import { isTreeOf, readForeground } from '../app/foreground.js';
import type { Frame } from '../capture/captures.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { TreeDump } from '../tree/trees.js';
import { sameScreen } from './masks.js';
import type { ScreenState } from './observation.js';

/** A screen that changed while it was read is read again: at most this often, and only within this time, ms. */
const TRIES_MOST = 3;
const TRIES_WITHIN_MS = 6_000;

/**
 * Reads picture, tree and app in front side by side, and a picture again at the end of the tree: when both pictures show the same,
 * everything is of one moment. Else it is read once more, beginning with the later picture, unless the screen is known to be busy.
 * `onFrame` is called with the first picture, which is most often the last one, too, so that its encoding need not wait for the tree.
 */
export async function readScreen(
  call: Call,
  session: PhoneSession,
  onFrame: (frame: Frame) => void = () => undefined,
): Promise<ScreenState & { dump: TreeDump }> {
  const { captures, clock } = session;
  const startMs = clock.monotonicMs();
  const watched = session.live.fresh();
  let before = watched === undefined ? captures.next(call) : Promise.resolve(watched);
  before.then(onFrame, () => undefined);
  for (let tries = 1; ; tries++) {
    const state = await readOnce(call, session, before);
    const hopeless = state.dump.tree === undefined || state.dump.busy;
    const late = tries === TRIES_MOST || clock.monotonicMs() - startMs > TRIES_WITHIN_MS;
    if (state.consistent || hopeless || late) return state;
    before = Promise.resolve(state.frame);
  }
}

async function readOnce(
  call: Call,
  session: PhoneSession,
  before: Promise<Frame>,
): Promise<ScreenState & { dump: TreeDump }> {
  const dumping = session.trees.next(call);
  const [{ dump, frame, changed }, front] = await Promise.all([
    watchDump(call, session, dumping, before),
    // Not sooner: it would be of a screen that the pictures do not cover.
    before.then(() => readForeground(call, session)),
  ]);
  const { tree } = dump;
  const matches = tree === undefined || isTreeOf(tree, front);
  return {
    frame,
    dump,
    front: matches ? front : await readForeground(call, session),
    consistent: tree !== undefined && !changed,
  };
}

/** Pictures are taken this often during a dump, ms. The content of a dump was there for longer: a dump waits for a second of quiet. */
const WATCH_EVERY_MS = 300;

/**
 * Around the time at which the tree usually arrives, pictures are taken without a pause, in durations of one: one should be nearly there
 * then. They pause again when the tree is late.
 */
const EARLY_CAPTURES = 0.85;
const LATE_CAPTURES = 3;

/** Trees that usually arrive sooner than this are only waited for, ms. */
const WORTH_EXPECTING_MS = 100;

/**
 * The tree, a picture that arrived after it had, and whether pictures in between differ. A tree takes a second or two on a phone,
 * and a picture after it would cost a tenth of that again; so one is under way when the tree is expected.
 */
async function watchDump(
  call: Call,
  session: PhoneSession,
  dumping: Promise<TreeDump>,
  before: Promise<Frame>,
): Promise<{ dump: TreeDump; frame: Frame; changed: boolean }> {
  const { captures, trees, clock, phone } = session;
  const [treeMs = 0, captureMs = 0] = [trees.usualMs, captures.usualMs];
  const dueMs = treeMs > WORTH_EXPECTING_MS ? clock.monotonicMs() + treeMs : Infinity;
  const stop = new AbortController();
  let last = before;
  let changed = false;
  let underWay: Promise<Frame> | undefined;
  const see = async (next: Promise<Frame>): Promise<Frame> => {
    const [earlier, frame] = await Promise.all([last, next]);
    last = next;
    if (!sameScreen(earlier.pixels, frame.pixels, phone.screen.density)) changed = true;
    return frame;
  };
  const watch = async (): Promise<void> => {
    for (;;) {
      const now = clock.monotonicMs();
      const untilDueMs = dueMs - captureMs * EARLY_CAPTURES - now;
      const isLate = now > dueMs + captureMs * LATE_CAPTURES;
      await clock.sleep(isLate ? WATCH_EVERY_MS : Math.max(0, Math.min(WATCH_EVERY_MS, untilDueMs)), stop.signal);
      underWay = captures.next(call);
      await see(underWay).finally(() => (underWay = undefined));
    }
  };
  // Ends when it is stopped. A capture that fails here fails again as the last one.
  watch().catch(() => undefined);
  const dump = await dumping.finally(() => stop.abort(new Error('the tree is there')));
  return { dump, frame: await see(underWay ?? captures.next(call)), changed };
}
