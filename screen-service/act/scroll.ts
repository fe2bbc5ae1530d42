import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { drag } from '../input/finger-paths.js';
import { type SwipeDirection, swipeCommand } from '../input/gestures.js';
import { sendCommand } from '../input/send-command.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import { sendInput } from '../input/send-input.js';
import { contentOf } from '../observe/observe.js';
import { readScreenOnce } from '../observe/read-screen.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { showsText } from '../tree/find-text.js';
import { area, contains, intersection, type Point, type Rectangle } from '../tree/rectangle.js';
import { findTarget } from './find-target.js';
import { type KnownScreen, knownNow } from './known-screen.js';
import { type RequestedTree, settle } from './settle.js';
import { DoneInPart, type StepAction, type Target } from './step.js';
import type { StepContext } from './step-context.js';
import { strokeAcross } from './stroke.js';

/** Share of the way across that a swipe by direction goes; it stays off the edges, which belong to the system's gestures. */
const SWIPE_SHARE = 0.6;

/**
 * A page is scrolled in two strokes, which stay off the edges too. Together they go over 90 %; the first few pixels of each only start
 * the scrolling, so pages overlap by a little more than 10 %.
 */
const STROKE_SHARE = 0.45;
const STROKES = 2;

/** How long the finger moves in a stroke, ms. It rests afterwards, so a list does not scroll on however fast it was. */
const STROKE_MS = 180;

/** A tree that its source reads this long after the request, ms, is requested when the last stroke begins, which is over by then. */
const AHEAD_MS = 600;

/** Most pages until a text shows. */
const PAGES_MOST = 50;

/** How long the list must rest before its texts are read, ms. */
const REST_MS = 150;

/** A finger that moves up shows content further down. */
const fingerFor: Record<SwipeDirection, SwipeDirection> = { down: 'up', up: 'down', right: 'left', left: 'right' };

/** One swipe across the screen or an element. */
export async function swipeAcross(
  call: Call,
  kept: KeptPhone,
  { direction, target, durationMs }: StepAction & { kind: 'swipe_across' },
  context: StepContext,
): Promise<void> {
  const { within, elements } =
    target === undefined ? await wholeScreen(call, kept) : await listOf(call, kept, target, context);
  const { from, to } = strokeAcross(within, direction, SWIPE_SHARE, elements);
  await sendCommand(call, kept, swipeCommand(from, to, durationMs), 'swipe');
}

/** Scrolls by a page, or page by page until a text shows. Throws not_found when the list ends before it does. */
export async function scroll(
  call: Call,
  kept: KeptPhone,
  { direction, target, until }: StepAction & { kind: 'scroll' },
  context: StepContext,
): Promise<void> {
  const list =
    target === undefined ? await largestList(call, kept, until, context) : await listOf(call, kept, target, context);
  const { within, elements } = list;
  let { screen, shown: content } = list;
  if (until !== undefined && content === undefined) ({ pixels: screen, content } = await read(call, kept, context));
  for (let page = 1; ; page++) {
    if (until !== undefined && content !== undefined && showsText(content.texts, until)) {
      context.isIdle = page === 1;
      return;
    }
    const { from, to } = strokeAcross(within, fingerFor[direction], STROKE_SHARE, content?.elements ?? elements);
    let requested: RequestedTree | undefined;
    for (let count = 1; count <= STROKES; count++) {
      // Its source waits for quiet by itself, so that the tree is read when the list rests.
      if (until !== undefined && count === STROKES && kept.trees.aheadMs >= AHEAD_MS) requested = request(call, kept);
      await sendInput(call, kept, drag(from, to, { holdMs: 0, moveMs: STROKE_MS }), call.requestId, { screen });
    }
    if (until === undefined) return;
    const before = content;
    ({ pixels: screen, content } = await read(call, kept, context, requested));
    if (page === PAGES_MOST || (before !== undefined && listShowsTheSame(within, before, content))) {
      if (showsText(content.texts, until)) return;
      const where = page === PAGES_MOST ? `within ${PAGES_MOST} pages` : 'up to the end of the list';
      throw new DoneInPart('not_found', `scroll.until: the text ${JSON.stringify(until)} did not show ${where}.`);
    }
  }
}

/** Requests a tree at once, without a wait for its arrival. */
function request(call: Call, { clock, trees }: KeptPhone): RequestedTree {
  const requested = { askedMs: clock.monotonicMs(), dump: trees.next(call) };
  // It is of no use where the stroke fails.
  requested.dump.catch(() => undefined);
  return requested;
}

interface List {
  within: Rectangle;
  elements: readonly ScreenElement[];
  /** The screen as it is turned now. Absent: not known. */
  screen?: Pick<Pixels, 'width' | 'height'>;
  /** All that shows, where it is known that nothing has changed since it was read. */
  shown?: ScreenContent;
}

async function listOf(call: Call, kept: KeptPhone, target: Target, context: StepContext): Promise<List> {
  if (!('x' in target)) {
    const { element, elements } = await findTarget(call, kept, target, context);
    return { within: element.bounds, elements };
  }
  const { within, elements } = await onScreen(call, kept);
  return { within: smallestList(elements, target) ?? within, elements, screen: within };
}

/** The largest element that scrolls; the whole screen where none does, or where the tree cannot be read. */
async function largestList(
  call: Call,
  kept: KeptPhone,
  until: string | undefined,
  context: StepContext,
): Promise<List> {
  let known: Pick<KnownScreen, 'pixels' | 'content'> | undefined = await knownNow(call, kept, context);
  // The texts that are searched for are read anyway.
  if (known === undefined && until !== undefined) known = await read(call, kept, context);
  const { within, elements, shown } = known === undefined ? await onScreen(call, kept) : listIn(known);
  const lists = elements.filter(({ states }) => states.includes('scrollable'));
  const [largest] = lists.sort((a, b) => area(b.bounds) - area(a.bounds));
  return { within: largest?.bounds ?? within, elements, screen: within, ...(shown && { shown }) };
}

function listIn({ pixels: { width, height }, content }: Pick<KnownScreen, 'pixels' | 'content'>): List {
  return { within: { x: 0, y: 0, width, height }, elements: content.elements, shown: content };
}

function smallestList(elements: readonly ScreenElement[], point: Point): Rectangle | undefined {
  const lists = elements.filter(({ states, bounds }) => states.includes('scrollable') && contains(bounds, point));
  return lists.sort((a, b) => area(a.bounds) - area(b.bounds))[0]?.bounds;
}

async function onScreen(call: Call, kept: KeptPhone): Promise<List> {
  const { frame, dump } = await readScreenOnce(call, kept);
  const { width, height } = frame.pixels;
  const within = { x: 0, y: 0, width, height };
  return { within, elements: dump.tree === undefined ? [] : contentOf(dump.tree, within, kept).elements };
}

async function wholeScreen(call: Call, kept: KeptPhone): Promise<List> {
  const { pixels } = await kept.captures.next(call);
  return { within: { x: 0, y: 0, width: pixels.width, height: pixels.height }, elements: [] };
}

/** The content of the screen once it rests, which is left in the context. */
async function read(
  call: Call,
  kept: KeptPhone,
  context: StepContext,
  requested?: RequestedTree,
): Promise<Pick<KnownScreen, 'pixels' | 'content'>> {
  const { untilMs } = context;
  const fromMs = kept.clock.monotonicMs();
  // The list has rested under the finger, so a tree that is read at once is most likely of the list as it stays.
  requested ??= request(call, kept);
  const { state } = await settle(call, kept, {
    settleMs: REST_MS,
    observe: true,
    expect: undefined,
    fromMs,
    untilMs,
    requested,
  });
  context.rested = state;
  const tree = state?.dump?.tree;
  if (state !== undefined && tree !== undefined)
    return { pixels: state.frame.pixels, content: contentOf(tree, state.frame.pixels, kept) };
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
