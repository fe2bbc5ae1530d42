import type { Shot } from '../capture/captures.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { TreeReading } from '../tree/trees.js';
import { sameScreen } from './masks.js';

/** A picture and a tree that were taken side by side. */
export interface Look {
  shot: Shot;
  reading: TreeReading;
  /** The screen was the same before and after the tree was read. */
  consistent: boolean;
}

/** A screen that changed while it was looked at is looked at again, so often at the most and beginning within this time. */
const LOOKS_MOST = 3;
const LOOKS_WITHIN_MS = 6_000;

/**
 * Takes picture and tree side by side and again a picture at the end of the tree: when both pictures show the same, the tree
 * belongs to them. Else once more, beginning with the later picture. `onShot` is called with the first picture, which is most
 * often the last one, too: its encoding need not wait for the tree.
 */
export async function look(session: PhoneSession, onShot: (shot: Shot) => void = () => undefined): Promise<Look> {
  const { captures, trees, clock, phone } = session;
  const startMs = clock.monotonicMs();
  let reading = trees.next();
  let before = captures.next();
  before.then(onShot, () => undefined);
  for (let looks = 1, beganMs = startMs; ; looks++) {
    const [first, [tree, after]] = await Promise.all([before, pictureAtTheEnd(session, reading, beganMs)]);
    if (tree.tree === undefined) return { shot: after, reading: tree, consistent: false };
    if (sameScreen(first.pixels, after.pixels, phone.screen.density)) {
      return { shot: after, reading: tree, consistent: true };
    }
    if (looks === LOOKS_MOST || clock.monotonicMs() - startMs > LOOKS_WITHIN_MS) {
      return { shot: after, reading: tree, consistent: false };
    }
    before = Promise.resolve(after);
    beganMs = clock.monotonicMs();
    reading = trees.next();
  }
}

/** Trees that are there sooner than this are not worth a guess, ms. */
const WORTH_GUESSING_MS = 100;

/** Begins before the end is due, in captures' own times: half of one apart, so that after the end one arrives soon. */
const LEADS = [0.85, 0.35];

/** Pictures are taken one after the other until the tree is there, but not for longer than this many captures beyond its time. */
const LATE_CAPTURES_MOST = 3;

/**
 * The tree, and a picture that arrived after it had. A tree takes a second or two on a phone, and a picture after it would cost
 * a tenth of that again; so pictures are taken from shortly before the tree is expected, and the first that arrives after it is
 * the answer.
 */
async function pictureAtTheEnd(
  session: PhoneSession,
  reading: Promise<TreeReading>,
  beganMs: number,
): Promise<[TreeReading, Shot]> {
  const { captures, trees, clock } = session;
  const [treeMs, captureMs] = [trees.usualMs, captures.usualMs];
  const stop = new AbortController();
  const guesses: Promise<Shot>[] = [];
  if (treeMs !== undefined && captureMs !== undefined && treeMs > WORTH_GUESSING_MS) {
    const dueMs = beganMs + treeMs;
    const lane = async (lead: number): Promise<Shot> => {
      await clock.sleep(Math.max(0, dueMs - captureMs * lead - clock.monotonicMs()), stop.signal);
      for (;;) {
        const shot = await captures.next();
        if (stop.signal.aborted) return shot;
        if (shot.endedMs > dueMs + captureMs * LATE_CAPTURES_MOST) throw new Error('the tree takes longer than usual');
      }
    };
    for (const lead of LEADS) guesses.push(lane(lead));
    for (const guess of guesses) guess.catch(() => undefined);
  }
  const tree = await reading.finally(() => stop.abort(new Error('the tree is there')));
  // Lanes that have not begun were stopped and reject; of those under way the first to arrive is the answer.
  const after = await Promise.any(guesses).catch(() => undefined);
  return [tree, after ?? (await captures.next())];
}
