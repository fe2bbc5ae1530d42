import type { Call } from '../../kit/call/call.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { foregroundOf, sameWindow } from '../display/foreground.js';
import { sameRows } from '../observe/masks.js';
import { betweenSince, contentOf, describe } from '../observe/observe.js';
import { type ReadState, readScreen } from '../observe/read-screen.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { LastObservation } from '../observe/last-observations.js';
import type { ObservedPhone } from '../observe/observed-phone.js';
import { isUsable, type ScreenContent, type ScreenElement } from '../tree/elements.js';
import { sameThings } from '../tree/find-again.js';
import { wentOnSince } from '../tree/what-may-differ.js';
import { findByWords, findCandidates, findText } from '../tree/find-words.js';
import { findNamed, findNearWords } from '../tree/near-words.js';
import type { Role } from '../tree/role.js';
import { tellApart } from '../tree/tell-apart.js';
import { knownNow, unchangedScreens } from './known-screen.js';
import type { StepContext } from './step-context.js';

/** An element of the caller's latest observation. */
export interface ElementById {
  element: string;
}

/** An element on the current screen, by its words. */
export interface ElementByWords {
  text: string;
  role: Role | undefined;
  /** The field of the request that names the element, for error texts. */
  field: string;
}

/** An element on the current screen, and all others there. */
export interface Found {
  element: ScreenElement;
  elements: readonly ScreenElement[];
  /** Whether the elements were read just now. False: they were read earlier, and the element's place still shows the same. */
  fresh: boolean;
  /** Whether the keyboard showed when they were read. Undefined: not known. */
  isKeyboardShown: boolean | undefined;
}

/** Most elements with the same words that an error lists, and most other elements that it lists. */
const MAX_LISTED = 10;
const MAX_CANDIDATES = 5;

/** The pause before the screen is read again when the words were not on it, ms. */
const AGAIN_MS = 300;

/** Returns whether an element is in the state that the step needs. */
type IsReady = (element: ScreenElement) => boolean;

/**
 * Finds an element on the current screen; one that is named by its words is waited for. Throws not_found when there is no such element, and
 * bad_request when several have the words.
 */
export function findTarget(
  call: Call,
  phoneSession: ObservedPhone,
  target: ElementById | ElementByWords,
  context: StepContext,
): Promise<Found> {
  return find(call, phoneSession, target, context, () => true);
}

/**
 * Finds an element to press, as `findTarget` does. Throws bad_request also for a disabled element. An element that is named by its words is
 * waited for until it is enabled.
 */
export function findPressed(
  call: Call,
  phoneSession: ObservedPhone,
  target: ElementById | ElementByWords,
  context: StepContext,
): Promise<Found> {
  return find(call, phoneSession, target, context, (element) => !ignoresInput(element));
}

function find(
  call: Call,
  phoneSession: ObservedPhone,
  target: ElementById | ElementByWords,
  context: StepContext,
  isReady: IsReady,
): Promise<Found> {
  return 'element' in target
    ? findSeen(call, phoneSession, target.element, context, isReady)
    : findByItsWords(call, phoneSession, target, context, isReady);
}

/**
 * Whether a press on the element has no effect. This is not so for a disabled text without an action, as what surrounds the text takes the
 * touch.
 */
function ignoresInput(element: ScreenElement): boolean {
  return element.states.includes('disabled') && isUsable(element);
}

function disabled(what: string): ApiError {
  return new ApiError(
    'bad_request',
    `${what} is disabled: it takes no input now, so nothing was done. Do first what enables it, such as filling in a field, or wait ` +
      'with an expect of the state enabled.',
  );
}

/** How often a screen is read at most when it changes in the target's rows while it is read. */
const MAX_TRIES = 3;

/** The pause before a text that may be a counter is read again, ms. A counter has gone on by a second then. */
const COUNTED_MS = 1_300;

/**
 * Finds the element `id` of the caller's latest observation. Where a picture still shows the screen of that observation, or that after the
 * step before, no tree is read. Else the tree is read between two pictures, and the later picture comes right before the input.
 */
async function findSeen(
  call: Call,
  phoneSession: ObservedPhone,
  id: string,
  context: StepContext,
  isReady: IsReady,
): Promise<Found> {
  const { lastObservation } = context;
  const { seen, element } = elementSeen(phoneSession, id, lastObservation);
  const { observed, rested } = await unchangedScreens(call, phoneSession, context);
  // After a step, rows that look alike may have taken each other's places, which no picture shows.
  const mayBeMoved =
    lastObservation.steps.hasActed(phoneSession.inputs.othersMs(lastObservation)) && isInList(seen.content, element);
  const { isKeyboardShown } = seen.front;
  if (observed && isReady(element) && !mayBeMoved)
    return { element, elements: seen.content.elements, fresh: false, isKeyboardShown };
  const again = (now: ScreenContent, front: Foreground, nowMs: number, counting?: 'all'): ScreenElement | undefined => {
    if (!sameWindow(seen.front, front)) return undefined;
    const between = betweenSince(seen, phoneSession, lastObservation, { nowMs, front });
    return sameThings(seen.content, now, { ...between, ...(counting && { counting }) }).find(element);
  };
  const gone = (): ApiError =>
    new ApiError(
      'not_found',
      `${id} of your observation ${seen.id} is not on the screen any more, or what surrounds it has changed so that it may be something ` +
        'else. Observe again.',
    );
  if (rested !== undefined) {
    const found = again(rested.content, rested.front, rested.takenAt);
    if (found === undefined) throw gone();
    const { content, front } = rested;
    if (isReady(found))
      return { element: found, elements: content.elements, fresh: false, isKeyboardShown: front.isKeyboardShown };
  }
  let counted: { content: ScreenContent; takenAt: number; inputSentMs: number } | undefined;
  for (let tries = 1; ; tries++) {
    const { latest } = phoneSession.captures;
    const inputSentMs = phoneSession.inputs.lastMs;
    const { dump, frame, front, consistent } = await readScreen(call, phoneSession);
    const { tree } = dump;
    if (tree === undefined) {
      throw new ApiError(
        'timeout',
        `${id} could not be looked up: the screen does not come to rest. Tap x and y instead, or wait and observe again.`,
      );
    }
    const now = contentOf(tree, frame.pixels, phoneSession, context.typedSecrets);
    const nowFront = foregroundOf(tree, front);
    // If somebody else sent input since, the text may have changed for another reason than time.
    if (counted !== undefined && counted.inputSentMs === phoneSession.inputs.lastMs) {
      const { content, takenAt } = counted;
      lastObservation.addCounters(wentOnSince(content.landmarks, now.landmarks, frame.takenAt - takenAt));
    }
    const found = again(now, nowFront, frame.takenAt);
    if (found === undefined) {
      // A text has gone on once at the pace of time. If it only belongs to another page, it does not go on a second time.
      if (counted !== undefined || again(now, nowFront, frame.takenAt, 'all') === undefined) throw gone();
      counted = { content: now, takenAt: frame.takenAt, inputSentMs };
      await phoneSession.clock.sleep(COUNTED_MS, call.signal);
      continue;
    }
    // The target's own rows may be at rest although the rest of the screen never is.
    const isSteady =
      latest !== undefined && sameRows(latest.pixels, frame.pixels, found.bounds, phoneSession.phone.screen.density);
    if (!consistent && !isSteady && tries < MAX_TRIES) continue;
    if (!isReady(found)) throw disabled(id);
    return { element: found, elements: now.elements, fresh: true, isKeyboardShown: nowFront.isKeyboardShown };
  }
}

function isInList({ elements, landmarks }: ScreenContent, element: ScreenElement): boolean {
  const index = elements.indexOf(element);
  return landmarks.some((landmark) => landmark.element === index && landmark.scroller !== undefined);
}

/** The element `id` as it was in the caller's latest observation. Throws not_found when that observation has no such element. */
export function elementSeen({ phone }: ReachedPhone, id: string, lastObservation: LastObservation) {
  const seen = lastObservation.latest();
  if (seen === undefined) {
    throw new ApiError(
      'not_found',
      `${id}: this key has not observed the device since it was started. Call GET /v1/devices/${phone.name}/observe first.`,
    );
  }
  const element = seen.content.elements.find((one) => one.id === id);
  if (element === undefined) {
    throw new ApiError(
      'not_found',
      `${id}: there is no such element in your latest observation ${seen.id}. Observe again.`,
    );
  }
  return { seen, element };
}

/**
 * Finds the one ready element that has these words as a whole text or label. The screen is read again until there is one, or until the
 * step's time for waiting is over. Several elements with the words are an error at once, as they do not become one by waiting.
 */
async function findByItsWords(
  call: Call,
  phoneSession: ObservedPhone,
  words: ElementByWords,
  context: StepContext,
  isReady: IsReady,
): Promise<Found> {
  const { clock, trees } = phoneSession;
  const { text, role } = words;
  const screen = await knownNow(call, phoneSession, context);
  const known = screen?.content.elements;
  const [alone, ...others] = known === undefined ? [] : findByWords(known, text, role);
  if (known !== undefined && alone !== undefined && others.length === 0 && isReady(alone))
    return { element: alone, elements: known, fresh: false, isKeyboardShown: screen?.front.isKeyboardShown };
  const untilMs = Math.min(clock.monotonicMs() + context.waitMs, context.untilMs);
  for (;;) {
    const state = await readScreen(call, phoneSession);
    const { tree } = state.dump;
    const elements =
      tree === undefined ? [] : contentOf(tree, state.frame.pixels, phoneSession, context.typedSecrets).elements;
    const [element, another] = findByWords(elements, text, role);
    const isOne = element !== undefined && another === undefined;
    if (isOne && isReady(element))
      return { element, elements, fresh: true, isKeyboardShown: state.front.isKeyboardShown };
    if (another !== undefined || clock.monotonicMs() + AGAIN_MS + (trees.usualMs ?? 0) >= untilMs) {
      if (tree === undefined) throw unreadable(words);
      throw isOne ? disabled(nameOf(words)) : await noOneOf(call, phoneSession, words, state, context);
    }
    context.progress.soFar = `${nameOf(words)} ${isOne ? 'was still disabled' : 'was not on the screen yet'}`;
    await clock.sleep(AGAIN_MS, call.signal);
  }
}

/**
 * Returns the error for words that no element has, or that several have. It lists elements by their ids, so the observation in which they
 * were found becomes the caller's latest one.
 */
async function noOneOf(
  call: Call,
  phoneSession: ObservedPhone,
  words: ElementByWords,
  state: ReadState,
  { lastObservation, secrets }: StepContext,
): Promise<ApiError> {
  const { text, role, field } = words;
  const observation = await describe(call, phoneSession, state, lastObservation, {
    secrets,
    picture: undefined,
    shown: false,
  });
  lastObservation.remember(observation);
  const { elements, texts } = observation.content;
  const listed = (found: readonly ScreenElement[], most: number): string => {
    const lines = tellApart(found.slice(0, most), texts);
    if (found.length > lines.length) lines.push(`and ${found.length - lines.length} more`);
    return lines.join('; ');
  };
  const found = findByWords(elements, text, role);
  if (found.length > 0) {
    return new ApiError(
      'bad_request',
      `${nameOf(words)} matches ${found.length} elements: ${listed(found, MAX_LISTED)}. Name one by its element id, by another of ` +
        'its words or by its role.',
    );
  }
  const none = `${field}: no element on the screen has ${quoted(words)} as its whole text or label.`;
  const candidates = (what: string, named: readonly ScreenElement[]): ApiError =>
    new ApiError(
      'not_found',
      `${none} ${what}: ${listed(named, MAX_CANDIDATES)}. Name one by its element id or by its whole text.`,
    );
  const containing = findCandidates(elements, text);
  if (containing.length > 0) return candidates('Its words are in', containing);
  const near = findNearWords(elements, text);
  if (near.length > 0) return candidates('Similar are', near);
  const named = findNamed(elements);
  if (named.length > 0) return candidates('There are', named);
  return new ApiError('not_found', `${none} No element there has words. Observe it with a picture, and tap x and y.`);
}

/** Returns the words as an error text names them: `tap: button "Save"`. */
function nameOf(words: ElementByWords): string {
  return `${words.field}: ${quoted(words)}`;
}

function quoted({ text, role }: ElementByWords): string {
  return `${role === undefined ? '' : `${role} `}${JSON.stringify(text)}`;
}

/** Finds all elements with this text. Where none has it as a whole, it finds those that contain it, unless `exact`. */
export async function findAllByWords(
  call: Call,
  phoneSession: ObservedPhone,
  { text, field, exact }: { text: string; field: string; exact: boolean },
): Promise<ScreenElement[]> {
  const { dump, frame } = await readScreen(call, phoneSession);
  if (dump.tree === undefined) throw unreadable({ text, role: undefined, field });
  return findText(contentOf(dump.tree, frame.pixels, phoneSession).elements, text, exact);
}

function unreadable(words: ElementByWords): ApiError {
  const message = `${nameOf(words)} could not be looked up: the screen does not come to rest. Try again, or tap x and y instead.`;
  return new ApiError('timeout', message, { retryAfterS: 1 });
}
