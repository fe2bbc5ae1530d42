import { begunAhead } from '../../kit/async/begun-ahead.js';
import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Pixels } from '../../phone/screen/pixels.js';
import type { Frame } from '../capture/captures.js';
import type { ScreenState } from '../observe/observation.js';
import { contentOf } from '../observe/observe.js';
import { readScreenOnce } from '../observe/read-screen.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { area, contains, type Point, type Rectangle } from '../shapes/rectangle.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { showsText } from '../tree/find-text.js';
import { findTarget } from './find-target.js';
import { type KnownScreen, knownNow } from './known-screen.js';
import { type RequestedTree, settle } from './settle.js';
import type { Target } from './step.js';
import type { StepContext } from './step-context.js';

/** How long a search waits for a list on a screen that has none, as that of an app that is starting, ms. The API names this figure. */
const LIST_WAIT_MS = 2_000;

/** How long the list must rest before it counts as the screen after the step, ms. */
const REST_MS = 150;

/** The part of a screen that scrolls. */
export interface List {
  within: Rectangle;
  elements: readonly ScreenElement[];
  /** The screen as it is turned now. Absent: not known. */
  screen?: Pick<Pixels, 'width' | 'height'>;
  /** All that the screen shows, as last read. Absent: it was not read, or may have changed since. */
  known?: ReadList | undefined;
}

/** A screen whose texts are searched. */
export interface ReadList extends Pick<KnownScreen, 'pixels' | 'content'> {
  /** The screen at rest, as it was read for this step. Absent: it was read before the step. */
  rested?: ScreenState;
}

/** Returns the target, or the smallest list at its point; the whole screen where none is there. */
export async function listOf(
  call: Call,
  phoneSession: PhoneSession,
  target: Target,
  context: StepContext,
): Promise<List> {
  if (!('x' in target)) {
    const { element, elements } = await findTarget(call, phoneSession, target, context);
    return { within: element.bounds, elements };
  }
  const { within, elements } = await onScreen(call, phoneSession);
  return { within: smallestList(elements, target) ?? within, elements, screen: within };
}

/**
 * Returns the largest element that scrolls; the whole screen where none does, or where the tree cannot be read. `until`: the text that is
 * searched. Such a search waits a moment for a list to show: the first page of one that shows during a stroke would not be read.
 */
export async function largestList(
  call: Call,
  phoneSession: PhoneSession,
  until: string | undefined,
  context: StepContext,
): Promise<List> {
  let known: ReadList | undefined = await knownNow(call, phoneSession, context);
  if (until !== undefined) {
    // The texts are read anyway for the search.
    known ??= await readAtRest(call, phoneSession, context);
    if (!hasList(known.content) && !showsText(known.content.texts, until))
      known = (await waitForList(call, phoneSession, until, context)) ?? known;
  }
  const { within, elements } = known === undefined ? await onScreen(call, phoneSession) : listIn(known);
  const [largest] = listsOf(elements).sort((a, b) => area(b.bounds) - area(a.bounds));
  return { within: largest?.bounds ?? within, elements, screen: within, known };
}

/** Returns the screen at rest once it shows a list or the text, or as it is when the wait is over. Undefined: it could not be read. */
async function waitForList(
  call: Call,
  phoneSession: PhoneSession,
  until: string,
  context: StepContext,
): Promise<ReadList | undefined> {
  const fromMs = phoneSession.clock.monotonicMs();
  const { state } = await settle(call, phoneSession, {
    settleMs: REST_MS,
    observe: true,
    expect: {
      needs: { tree: true, front: false },
      holds: (content) => content !== undefined && (hasList(content) || showsText(content.texts, until)),
    },
    fromMs,
    untilMs: Math.min(context.untilMs, fromMs + LIST_WAIT_MS),
  });
  return contentAtRest(phoneSession, context, state);
}

function hasList({ elements }: ScreenContent): boolean {
  return listsOf(elements).length > 0;
}

function listsOf(elements: readonly ScreenElement[]): ScreenElement[] {
  return elements.filter(({ states }) => states.includes('scrollable'));
}

function listIn({ pixels: { width, height }, content }: ReadList): List {
  return { within: { x: 0, y: 0, width, height }, elements: content.elements };
}

function smallestList(elements: readonly ScreenElement[], point: Point): Rectangle | undefined {
  const lists = listsOf(elements).filter(({ bounds }) => contains(bounds, point));
  return lists.sort((a, b) => area(a.bounds) - area(b.bounds))[0]?.bounds;
}

async function onScreen(call: Call, phoneSession: PhoneSession): Promise<List> {
  const { frame, dump } = await readScreenOnce(call, phoneSession);
  const { width, height } = frame.pixels;
  const within = { x: 0, y: 0, width, height };
  return { within, elements: dump.tree === undefined ? [] : contentOf(dump.tree, within, phoneSession).elements };
}

/**
 * Reads the content of the screen once it rests. `fromMs`: when the last input had been sent, monotonic ms. Absent: now. `requested`: a tree
 * that was requested by then. `seen`: a picture that was requested after it.
 */
export async function readAtRest(
  call: Call,
  phoneSession: PhoneSession,
  context: StepContext,
  {
    fromMs = phoneSession.clock.monotonicMs(),
    requested,
    seen,
  }: { fromMs?: number; requested?: RequestedTree; seen?: Frame } = {},
): Promise<ReadList> {
  const { state } = await settle(call, phoneSession, {
    settleMs: REST_MS,
    observe: true,
    expect: undefined,
    fromMs,
    untilMs: context.untilMs,
    requested: requested ?? requestTree(call, phoneSession),
    seen,
  });
  const read = contentAtRest(phoneSession, context, state);
  if (read !== undefined) return read;
  call.signal.throwIfAborted();
  throw new ApiError(
    'timeout',
    'scroll.until: the texts on the screen could not be read, as it does not come to rest.',
  );
}

function contentAtRest(
  phoneSession: PhoneSession,
  { typedSecrets }: StepContext,
  state: ScreenState | undefined,
): ReadList | undefined {
  const tree = state?.dump?.tree;
  if (state === undefined || tree === undefined) return undefined;
  const { pixels } = state.frame;
  return { pixels, content: contentOf(tree, pixels, phoneSession, typedSecrets), rested: state };
}

/** Requests a tree at once, without a wait for its arrival. */
export function requestTree(call: Call, { clock, trees }: PhoneSession): RequestedTree {
  return { askedMs: clock.monotonicMs(), dump: begunAhead(trees.next(call)) };
}
