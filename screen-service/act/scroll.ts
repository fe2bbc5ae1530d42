import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import { drag, FINGER_REST_MS } from '../input/finger-paths.js';
import { type SwipeDirection, swipeCommand } from '../input/command/gestures.js';
import { sendCommand } from '../input/command/send-command.js';
import type { Frame } from '../capture/captures.js';
import type { TreeDump } from '../tree/tree-source.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import { sendInput } from '../input/send-input.js';
import type { ScreenState } from '../observe/observation.js';
import { contentOf } from '../observe/observe.js';
import { readScreenOnce } from '../observe/read-screen.js';
import type { PhoneSession } from '../phones/phone-session.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { showsText } from '../tree/find-text.js';
import { area, contains, intersection, type Point, type Rectangle } from '../shapes/rectangle.js';
import { findTarget } from './find-target.js';
import { type KnownScreen, knownNow } from './known-screen.js';
import { noteStroke } from './press.js';
import { type RequestedTree, settle } from './settle.js';
import { DoneInPart, type StepAction, type Target } from './step.js';
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
 * VelocityTracker). Where it comes late, the next stroke stops the list as it begins.
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

/** How long the list must rest before it counts as the screen after the step, ms. */
const REST_MS = 150;

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
  if (until !== undefined && known === undefined) known = await read(call, phoneSession, context);
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
    requested ??= request(call, phoneSession);
    const dump = await inUsualTime(phoneSession, requested.dump);
    isBusy = dump?.busy === true;
    const next = page < MAX_PAGES && nextPage(phoneSession, context, { within, known, until, dump, upMs });
    if (next) {
      known = next;
      continue;
    }
    const before = known;
    known = await read(call, phoneSession, context, { requested, fromMs: upMs, seen: await picture });
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
  if (trees.aheadMs >= AHEAD_MS) return request(call, phoneSession);
  const waitMs = STROKE_MS + FINGER_REST_MS - BEFORE_UP_MS;
  const dump = begunAhead(clock.sleep(waitMs, call.signal).then(() => trees.next(call)));
  return { askedMs: clock.monotonicMs() + waitMs, dump };
}

/** Requests a tree at once, without a wait for its arrival. */
function request(call: Call, { clock, trees }: PhoneSession): RequestedTree {
  return { askedMs: clock.monotonicMs(), dump: begunAhead(trees.next(call)) };
}

interface List {
  within: Rectangle;
  elements: readonly ScreenElement[];
  /** The screen as it is turned now. Absent: not known. */
  screen?: Pick<Pixels, 'width' | 'height'>;
  /** All that the screen shows, as last read. Absent: it was not read, or may have changed since. */
  known?: ReadList | undefined;
}

interface ReadList extends Pick<KnownScreen, 'pixels' | 'content'> {
  /** The screen at rest, as it was read for this step. Absent: it was read before the step. */
  rested?: ScreenState;
}

async function listOf(call: Call, phoneSession: PhoneSession, target: Target, context: StepContext): Promise<List> {
  if (!('x' in target)) {
    const { element, elements } = await findTarget(call, phoneSession, target, context);
    return { within: element.bounds, elements };
  }
  const { within, elements } = await onScreen(call, phoneSession);
  return { within: smallestList(elements, target) ?? within, elements, screen: within };
}

/** Returns the largest element that scrolls; the whole screen where none does, or where the tree cannot be read. */
async function largestList(
  call: Call,
  phoneSession: PhoneSession,
  until: string | undefined,
  context: StepContext,
): Promise<List> {
  let known: ReadList | undefined = await knownNow(call, phoneSession, context);
  // The texts are read anyway for the search.
  if (known === undefined && until !== undefined) known = await read(call, phoneSession, context);
  const { within, elements } = known === undefined ? await onScreen(call, phoneSession) : listIn(known);
  const lists = elements.filter(({ states }) => states.includes('scrollable'));
  const [largest] = lists.sort((a, b) => area(b.bounds) - area(a.bounds));
  return { within: largest?.bounds ?? within, elements, screen: within, known };
}

function listIn({ pixels: { width, height }, content }: ReadList): List {
  return { within: { x: 0, y: 0, width, height }, elements: content.elements };
}

function smallestList(elements: readonly ScreenElement[], point: Point): Rectangle | undefined {
  const lists = elements.filter(({ states, bounds }) => states.includes('scrollable') && contains(bounds, point));
  return lists.sort((a, b) => area(a.bounds) - area(b.bounds))[0]?.bounds;
}

async function onScreen(call: Call, phoneSession: PhoneSession): Promise<List> {
  const { frame, dump } = await readScreenOnce(call, phoneSession);
  const { width, height } = frame.pixels;
  const within = { x: 0, y: 0, width, height };
  return { within, elements: dump.tree === undefined ? [] : contentOf(dump.tree, within, phoneSession).elements };
}

async function wholeScreen(call: Call, phoneSession: PhoneSession): Promise<List> {
  const { pixels } = await phoneSession.captures.next(call);
  return { within: { x: 0, y: 0, width: pixels.width, height: pixels.height }, elements: [] };
}

/**
 * Reads the content of the screen once it rests. `fromMs`: when the last input had been sent, monotonic ms. Absent: now. `seen`: a picture
 * that was requested after it.
 */
async function read(
  call: Call,
  phoneSession: PhoneSession,
  context: StepContext,
  {
    requested = request(call, phoneSession),
    fromMs = phoneSession.clock.monotonicMs(),
    seen,
  }: { requested?: RequestedTree | undefined; fromMs?: number; seen?: Frame } = {},
): Promise<ReadList> {
  const { untilMs } = context;
  const { state } = await settle(call, phoneSession, {
    settleMs: REST_MS,
    observe: true,
    expect: undefined,
    fromMs,
    untilMs,
    requested,
    seen,
  });
  const tree = state?.dump?.tree;
  if (state !== undefined && tree !== undefined) {
    const { pixels } = state.frame;
    return { pixels, content: contentOf(tree, pixels, phoneSession, context.typedSecrets), rested: state };
  }
  call.signal.throwIfAborted();
  throw new ApiError(
    'timeout',
    'scroll.until: the texts on the screen could not be read, as it does not come to rest.',
  );
}

/** Whether the list did not move: the same words are at the same places. */
function listShowsTheSame(within: Rectangle, before: ScreenContent, after: ScreenContent): boolean {
  const shown = ({ texts }: ScreenContent): string =>
    JSON.stringify(texts.filter(({ bounds }) => area(intersection(within, bounds)) > 0));
  return shown(before) === shown(after);
}
