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

/** Pictures are taken this often during a dump, ms. What a dump shows was there for longer: it waits for a second of quiet. */
const WATCH_EVERY_MS = 300;

/** Trees that usually arrive sooner than this are only waited for, ms. */
const WORTH_GUESSING_MS = 100;

/** When captures begin before the expected end, in durations of one: half a duration apart, so that one arrives soon after the end. */
const LEADS = [0.85, 0.35];

/** Pictures are taken one after the other until the tree is there, but not for longer than this many captures beyond its time. */
const LATE_CAPTURES_MOST = 3;

/**
 * The tree, a picture that arrived after it had, and whether pictures in between differ. A tree takes a second or two on a phone,
 * and a picture after it would cost a tenth of that again; so pictures are taken from shortly before the tree is expected, and
 * the first that arrives after it is the last one.
 */
async function watchDump(
  call: Call,
  session: PhoneSession,
  dumping: Promise<TreeDump>,
  before: Promise<Frame>,
): Promise<{ dump: TreeDump; frame: Frame; changed: boolean }> {
  const { captures, trees, clock, phone } = session;
  const beganMs = clock.monotonicMs();
  const [treeMs, captureMs] = [trees.usualMs, captures.usualMs];
  const stop = new AbortController();
  let last = before;
  let changed = false;
  const add = async (frame: Frame): Promise<void> => {
    const previous = last;
    last = Promise.resolve(frame);
    if (!sameScreen((await previous).pixels, frame.pixels, phone.screen.density)) changed = true;
  };
  const dueMs = treeMs !== undefined && treeMs > WORTH_GUESSING_MS ? beganMs + treeMs : Infinity;
  const watch = async (): Promise<void> => {
    for (;;) {
      await clock.sleep(WATCH_EVERY_MS, stop.signal);
      // Around the expected time the guesses take pictures; another capture would delay them.
      const nearMs = (captureMs ?? 0) * LATE_CAPTURES_MOST;
      if (Math.abs(clock.monotonicMs() - dueMs) > nearMs) await add(await captures.next(call));
    }
  };
  watch().catch(() => undefined); // Ends when it is stopped. A capture that fails here fails again as the last one.
  const guesses: Promise<Frame>[] = [];
  if (captureMs !== undefined && dueMs !== Infinity) {
    const guess = async (lead: number): Promise<Frame> => {
      await clock.sleep(Math.max(0, dueMs - captureMs * lead - clock.monotonicMs()), stop.signal);
      for (;;) {
        const frame = await captures.next(call);
        if (stop.signal.aborted) return frame;
        await add(frame);
        if (frame.endedMs > dueMs + captureMs * LATE_CAPTURES_MOST) throw new Error('the tree takes longer than usual');
      }
    };
    for (const lead of LEADS) guesses.push(guess(lead));
    for (const one of guesses) one.catch(() => undefined);
  }
  const dump = await dumping.finally(() => stop.abort(new Error('the tree is there')));
  // Guesses that have not begun were stopped and reject; of those under way the first to arrive is taken.
  const after = await Promise.any(guesses).catch(() => undefined);
  const frame = after ?? (await captures.next(call));
  await add(frame);
  return { dump, frame, changed };
}
