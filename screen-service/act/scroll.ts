import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import { drag, FINGER_REST_MS } from '../input/finger-paths.js';
import { type SwipeDirection, swipeCommand } from '../input/command/gestures.js';
import { sendCommand } from '../input/command/send-command.js';
import type { TreeDump } from '../tree/tree-source.js';
import { sendInput } from '../input/send-input.js';
import { contentOf } from '../observe/observe.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { ScreenContent } from '../tree/elements.js';
import { showsText } from '../tree/find-text.js';
import { area, intersection, type Rectangle } from '../shapes/rectangle.js';
import { largestList, type List, listOf, type ReadList, readAtRest, requestTree } from './find-list.js';
import { noteStroke } from './press.js';
import type { RequestedTree } from './settle.js';
import { DoneInPart, type StepAction } from './step.js';
import type { StepContext, StepResult } from './step-context.js';
import { strokeAcross } from './stroke.js';

/** The share of an area that a swipe by direction crosses. The swipe stays off the edges, which belong to the system's gestures. */
const SWIPE_SHARE = 0.6;

/**
 * A page is scrolled in two strokes, which stay off the edges too. Together they go over 90 %. The first few pixels of each only start the
 * scrolling, so pages overlap by a little more than 10 %.
 */
const STROKE_SHARE = 0.45;
const STROKES = 2;

/** How long the finger moves in a stroke, ms. The finger rests afterwards, so even a fast list does not scroll on. */
const STROKE_MS = 120;

/**
 * How long the finger rests after a stroke that another one follows, ms. A finger that has not moved for 40 ms has no speed (AOSP,
 * VelocityTracker).
 */
const SHORT_REST_MS = 100;

/**
 * A source that reads a tree at least this long after the request, ms, gets the request when the last stroke begins. It gets the request at
 * the first stroke where the page before took less time than that. So the strokes are over when the tree is read. Another source gets the
 * request while the finger rests, `BEFORE_UP_MS` before it goes up.
 */
const AHEAD_MS = 600;
const BEFORE_UP_MS = 100;

/** How much longer than usual the tree of a page may take, as a factor; and the time of the first one, ms. */
const USUAL_TREES = 1.5;
const FIRST_TREE_MS = 1_500;

/** The most pages that are scrolled until a text shows. */
const MAX_PAGES = 50;

/** A finger that moves up shows content further down. */
const fingerFor: Record<SwipeDirection, SwipeDirection> = { down: 'up', up: 'down', right: 'left', left: 'right' };

/** One swipe across the screen or an element. */
export async function swipeAcross(
  call: Call,
  phoneSession: PhoneSession,
  { direction, target, durationMs }: StepAction & { kind: 'swipe_across' },
  context: StepContext,
): Promise<void> {
  const { within, elements } =
    target === undefined ? await wholeScreen(call, phoneSession) : await listOf(call, phoneSession, target, context);
  const { from, to } = strokeAcross(within, direction, SWIPE_SHARE, elements);
  noteStroke(phoneSession, { from, to, durationMs }, context);
  await sendCommand(call, phoneSession, swipeCommand(from, to, durationMs), 'swipe');
}

/**
 * Scrolls by a page, or page by page until a text shows. Returns the screen as it was last read for the text. Throws not_found when the
 * list ends before the text shows.
 */
export async function scroll(
  call: Call,
  phoneSession: PhoneSession,
  { direction, target, until }: StepAction & { kind: 'scroll' },
  context: StepContext,
): Promise<StepResult> {
  const { clock, trees } = phoneSession;
  const list =
    target === undefined
      ? await largestList(call, phoneSession, until, context)
      : await listOf(call, phoneSession, target, context);
  const { within, elements } = list;
  let { known } = list;
  if (until !== undefined && known === undefined) known = await readAtRest(call, phoneSession, context);
  let strokesMs = Infinity;
  let isBusy = false;
  for (let page = 1; ; page++) {
    if (until !== undefined && known !== undefined && showsText(known.content.texts, until))
      return { rested: known.rested, isIdle: page === 1 };
    const { from, to } = strokeAcross(within, fingerFor[direction], STROKE_SHARE, known?.content.elements ?? elements);
    const screen = known?.pixels ?? list.screen;
    let requested: RequestedTree | undefined;
    const beganMs = clock.monotonicMs();
    const isBefore = trees.aheadMs >= Math.max(AHEAD_MS, strokesMs + BEFORE_UP_MS);
    for (let count = 1; count <= STROKES; count++) {
      // The tree of a busy screen is not known to be newer than its request.
      if (until !== undefined && !isBusy && count === (isBefore ? 1 : STROKES))
        requested = requestDuringStroke(call, phoneSession);
      noteStroke(phoneSession, { from, to }, context);
      const path = { holdMs: 0, moveMs: STROKE_MS, ...(count < STROKES && { restMs: SHORT_REST_MS }) };
      await sendInput(call, phoneSession, drag(from, to, path), call.requestId, { screen });
    }
    if (until === undefined) return {};
    const pages = page === 1 ? '1 page was' : `${page} pages were`;
    context.progress.soFar = `scroll.until: ${pages} scrolled, and the text had not shown yet`;
    const upMs = clock.monotonicMs();
    strokesMs = upMs - beganMs;
    // It shows the page before the tree was read.
    const picture = begunAhead(phoneSession.captures.next(call));
    requested ??= requestTree(call, phoneSession);
    const dump = await inUsualTime(phoneSession, requested.dump);
    isBusy = dump?.busy === true;
    const next = page < MAX_PAGES && nextPage(phoneSession, context, { within, known, until, dump, upMs });
    if (next) {
      known = next;
      continue;
    }
    const before = known;
    known = await readAtRest(call, phoneSession, context, { requested, fromMs: upMs, seen: await picture });
    if (page === MAX_PAGES || (before !== undefined && listShowsTheSame(within, before.content, known.content))) {
      if (showsText(known.content.texts, until)) return { rested: known.rested };
      const where = page === MAX_PAGES ? `within ${MAX_PAGES} pages` : 'up to the end of the list';
      throw new DoneInPart('not_found', `scroll.until: the text ${JSON.stringify(until)} did not show ${where}.`);
    }
  }
}

/** Returns the tree if it comes in the time of most trees. The wait for rest awaits a later one, as it hurries a dump of a busy screen. */
async function inUsualTime({ clock, trees }: PhoneSession, dump: Promise<TreeDump>): Promise<TreeDump | undefined> {
  const ended = new AbortController();
  const late = clock.sleep(USUAL_TREES * (trees.usualMs ?? FIRST_TREE_MS), ended.signal).then(
    () => undefined,
    () => undefined,
  );
  return Promise.race([dump, late]).finally(() => ended.abort());
}

/**
 * Returns a page by its tree alone, which was read after the finger had gone up. Undefined where the page needs pictures too: it shows the
 * text, or may be the end of the list.
 */
function nextPage(
  phoneSession: PhoneSession,
  { typedSecrets }: StepContext,
  { within, known, until, dump, upMs }: Page,
): ReadList | undefined {
  // Where there is no `readMs`, no two readings were the same: the list may still move.
  if (known === undefined || dump?.tree === undefined || dump.readMs === undefined || dump.readMs < upMs)
    return undefined;
  const content = contentOf(dump.tree, known.pixels, phoneSession, typedSecrets);
  const isLast = showsText(content.texts, until) || listShowsTheSame(within, known.content, content);
  return isLast ? undefined : { pixels: known.pixels, content };
}

/** A page that was just scrolled to. */
interface Page {
  within: Rectangle;
  /** The page before. */
  known: ReadList | undefined;
  until: string;
  /** Undefined: it has not come yet. */
  dump: TreeDump | undefined;
  /** When the finger had gone up, monotonic ms. */
  upMs: number;
}

/** Requests a tree so that it is read soon after the stroke that now begins. */
function requestDuringStroke(call: Call, phoneSession: PhoneSession): RequestedTree {
  const { clock, trees } = phoneSession;
  // The source of such a tree waits for quiet by itself.
  if (trees.aheadMs >= AHEAD_MS) return requestTree(call, phoneSession);
  const waitMs = STROKE_MS + FINGER_REST_MS - BEFORE_UP_MS;
  const dump = begunAhead(clock.sleep(waitMs, call.signal).then(() => trees.next(call)));
  return { askedMs: clock.monotonicMs() + waitMs, dump };
}

async function wholeScreen(call: Call, phoneSession: PhoneSession): Promise<List> {
  const { pixels } = await phoneSession.captures.next(call);
  return { within: { x: 0, y: 0, width: pixels.width, height: pixels.height }, elements: [] };
}

/** Whether the list did not move: the same words are at the same places. */
function listShowsTheSame(within: Rectangle, before: ScreenContent, after: ScreenContent): boolean {
  const shown = ({ texts }: ScreenContent): string =>
    JSON.stringify(texts.filter(({ bounds }) => area(intersection(within, bounds)) > 0));
  return shown(before) === shown(after);
}
