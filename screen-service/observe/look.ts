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
 * belongs to them. Else once more, beginning with the later picture.
 *
 * The later picture is asked for a little before the tree is expected to be there, so that it costs no time of its own. It counts
 * only when it arrives after the tree has. `onShot` is called with the first picture, which is most often the last one, too: its
 * encoding need not wait for the tree.
 */
export async function look(session: PhoneSession, onShot: (shot: Shot) => void = () => undefined): Promise<Look> {
  const { captures, trees, clock, phone } = session;
  const startMs = clock.monotonicMs();
  const firstReading = trees.next();
  firstReading.catch(() => undefined); // Whichever fails first is the answer.
  let before = await captures.next();
  onShot(before);
  for (let looks = 1, reading = firstReading, beganMs = startMs; ; looks++) {
    const [tree, after] = await pictureAtTheEnd(session, reading, beganMs);
    if (tree.tree === undefined) return { shot: after, reading: tree, consistent: false };
    if (sameScreen(before.pixels, after.pixels, phone.screen.density)) {
      return { shot: after, reading: tree, consistent: true };
    }
    if (looks === LOOKS_MOST || clock.monotonicMs() - startMs > LOOKS_WITHIN_MS) {
      return { shot: after, reading: tree, consistent: false };
    }
    before = after;
    beganMs = clock.monotonicMs();
    reading = trees.next();
  }
}

/** Two pictures before the end is due, a good half of one's time apart: whichever the end falls between, one arrives soon after. */
const LEADS = [0.85, 0.35];

/** Trees that are there sooner than this are not worth the guess, ms. */
const WORTH_GUESSING_MS = 100;

async function pictureAtTheEnd(
  session: PhoneSession,
  reading: Promise<TreeReading>,
  beganMs: number,
): Promise<[TreeReading, Shot]> {
  const { captures, trees, clock } = session;
  const guesses: Promise<Shot>[] = [];
  const usualTreeMs = trees.usualMs;
  const stop = new AbortController();
  if (usualTreeMs !== undefined && usualTreeMs > WORTH_GUESSING_MS && captures.usualMs !== undefined) {
    const captureMs = captures.usualMs;
    const dueMs = beganMs + usualTreeMs - clock.monotonicMs();
    for (const lead of LEADS) {
      const inMs = dueMs - captureMs * lead;
      if (inMs <= 0) continue;
      const guess = clock.sleep(inMs, stop.signal).then(() => captures.next());
      guess.catch(() => undefined);
      guesses.push(guess);
    }
  }
  const tree = await reading.finally(() => stop.abort());
  if (tree.tree === undefined && guesses.length === 0) return [tree, await captures.next()];
  // Guesses that have not begun were stopped and reject; those under way arrive after the tree did.
  const late = guesses.map(async (guess) => {
    const shot = await guess;
    if (shot.endedMs < tree.endedMs) throw new Error('taken before the tree was there');
    return shot;
  });
  const after = await Promise.any(late).catch(() => undefined);
  return [tree, after ?? (await captures.next())];
}
