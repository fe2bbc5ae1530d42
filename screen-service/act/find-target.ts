import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { foregroundOf, sameWindow } from '../app/foreground.js';
import { sameRows } from '../observe/masks.js';
import { betweenSince, contentOf, describe } from '../observe/observe.js';
import { readScreen } from '../observe/read-screen.js';
import type { Sight } from '../observe/latest-observations.js';
import type { KeptPhone } from '../phones/kept-phone.js';
import { elementLine } from '../tree/element-line.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { sameThings } from '../tree/find-again.js';
import { findByWords, findCandidates, findText } from '../tree/find-words.js';
import type { Role } from '../tree/role.js';
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
  /** Where the request names it, for error texts. */
  field: string;
}

/** An element on the current screen, and all others there. */
export interface Found {
  element: ScreenElement;
  elements: readonly ScreenElement[];
  /** They were read just now; false: earlier, and the element's place still shows the same. */
  fresh: boolean;
}

/** Most elements with the same words that an error lists, and most that only contain the words. */
const LISTED_MOST = 10;
const CONTAINING_MOST = 5;

/** Finds an element on the current screen. Throws not_found when it is not there, bad_request when several have the words. */
export function findTarget(
  call: Call,
  kept: KeptPhone,
  target: ElementById | ElementByWords,
  context: StepContext,
): Promise<Found> {
  return 'element' in target
    ? findSeen(call, kept, target.element, context)
    : findByItsWords(call, kept, target, context);
}

/** A screen that changed in the target's rows while it was read is read again, at most this often. */
const TRIES_MOST = 3;

/**
 * Finds the element `id` of the caller's latest observation. When a picture shows that observation's screen, it is where it was; else the
 * tree is read again, between two pictures: the input follows the later one.
 */
async function findSeen(call: Call, kept: KeptPhone, id: string, context: StepContext): Promise<Found> {
  const { sight } = context;
  const { seen, element } = elementSeen(kept, id, sight);
  const { observed, rested } = await unchangedScreens(call, kept, context);
  if (observed) return { element, elements: seen.content.elements, fresh: false };
  const again = (now: ScreenContent, front: Foreground, takenAt: number): ScreenElement | undefined =>
    sameWindow(seen.front, front)
      ? sameThings(seen.content, now, betweenSince(seen, kept, takenAt)).find(element)
      : undefined;
  const gone = (): ApiError =>
    new ApiError(
      'not_found',
      `${id} of your observation ${seen.id} is not on the screen any more, or what surrounds it has changed so that it may be something ` +
        'else. Observe again.',
    );
  if (rested !== undefined) {
    const found = again(rested.content, rested.front, rested.takenAt);
    if (found === undefined) throw gone();
    return { element: found, elements: rested.content.elements, fresh: false };
  }
  for (let tries = 1; ; tries++) {
    const { latest } = kept.captures;
    const { dump, frame, front, consistent } = await readScreen(call, kept);
    const { tree } = dump;
    if (tree === undefined) {
      throw new ApiError(
        'timeout',
        `${id} could not be looked up: the screen does not come to rest. Tap x and y instead, or wait and observe again.`,
      );
    }
    const now = contentOf(tree, frame.pixels, kept);
    const found = again(now, foregroundOf(tree, front), frame.takenAt);
    if (found === undefined) throw gone();
    // On a screen that never rests, the target's own rows do.
    const isSteady =
      latest !== undefined && sameRows(latest.pixels, frame.pixels, found.bounds, kept.phone.screen.density);
    if (consistent || isSteady || tries === TRIES_MOST) return { element: found, elements: now.elements, fresh: true };
  }
}

/** The element `id` as it was in the caller's latest observation. Throws not_found when it is not one of that. */
export function elementSeen({ phone }: KeptPhone, id: string, sight: Sight) {
  const seen = sight.latest();
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
 * Finds the one element of which these words are a whole text or label. Where there are several, or only such that contain the words, the
 * error lists their ids, so the observation in which they were found becomes the caller's latest one.
 */
async function findByItsWords(
  call: Call,
  kept: KeptPhone,
  { text, role, field }: ElementByWords,
  context: StepContext,
): Promise<Found> {
  const { sight } = context;
  const what = `${role === undefined ? '' : `${role} `}${JSON.stringify(text)}`;
  const known = (await knownNow(call, kept, context))?.content.elements;
  const [alone, ...others] = known === undefined ? [] : findByWords(known, text, role);
  if (known !== undefined && alone !== undefined && others.length === 0)
    return { element: alone, elements: known, fresh: false };
  const { state, elements } = await readElements(call, kept, `${field}: ${what} could not be looked up`);
  const [element, another] = findByWords(elements, text, role);
  if (element !== undefined && another === undefined) return { element, elements, fresh: true };
  if (element === undefined && findCandidates(elements, text).length === 0)
    throw new ApiError('not_found', `${field}: ${what} is not on the screen. Observe it.`);
  const observation = await describe(call, kept, state, sight, { picture: undefined });
  sight.remember({ ...observation, shown: false });
  const { elements: named } = observation.content;
  if (element === undefined) {
    throw new ApiError(
      'not_found',
      `${field}: no element on the screen has ${what} as its whole text or label. Its words are in: ` +
        `${listed(findCandidates(named, text), CONTAINING_MOST)}. Name one by its element id or by its whole text.`,
    );
  }
  const found = findByWords(named, text, role);
  throw new ApiError(
    'bad_request',
    `${field}: ${what} matches ${found.length} elements: ${listed(found, LISTED_MOST)}. Name one by its element id, by another of ` +
      'its words or by its role.',
  );
}

function listed(elements: readonly ScreenElement[], most: number): string {
  const lines = elements.slice(0, most).map(elementLine);
  if (elements.length > lines.length) lines.push(`and ${elements.length - lines.length} more`);
  return lines.join('; ');
}

/** Finds all elements with this text; where none has it as a whole, those that contain it, unless `exact`. */
export async function findAllByWords(
  call: Call,
  kept: KeptPhone,
  { text, field, exact }: { text: string; field: string; exact: boolean },
): Promise<ScreenElement[]> {
  const failed = `${field}: ${JSON.stringify(text)} could not be looked up`;
  return findText((await readElements(call, kept, failed)).elements, text, exact);
}

/** The elements on the screen, without typed secrets. Throws timeout where there is no tree; `failed` begins its text. */
async function readElements(call: Call, kept: KeptPhone, failed: string) {
  const state = await readScreen(call, kept);
  if (state.dump.tree !== undefined) {
    return { state, elements: contentOf(state.dump.tree, state.frame.pixels, kept).elements };
  }
  const message = `${failed}: the screen does not come to rest. Try again, or tap x and y instead.`;
  throw new ApiError('timeout', message, { retryAfterS: 1 });
}
