import type { Call } from '../../kit/call.js';
import { ApiError } from '../../kit/errors.js';
import { foregroundOf, readForeground, sameWindow } from '../app/foreground.js';
import { sameRows } from '../observe/masks.js';
import { contentOf, describe } from '../observe/observe.js';
import { readScreen } from '../observe/read-screen.js';
import type { Sight } from '../observe/latest-observations.js';
import type { PhoneSession } from '../phones/phone-session.js';
import { elementLine } from '../tree/element-line.js';
import type { ScreenElement } from '../tree/elements.js';
import { elementsOf } from '../tree/elements.js';
import { findAgain } from '../tree/find-again.js';
import { findByWords } from '../tree/find-words.js';
import type { Role } from '../tree/role.js';

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

/** Most candidates that an error lists. */
const LISTED_MOST = 10;

/** Finds an element on the current screen. Throws not_found when it is not there, bad_request when several have the words. */
export function findTarget(
  call: Call,
  session: PhoneSession,
  target: ElementById | ElementByWords,
  sight: Sight,
): Promise<Found> {
  return 'element' in target
    ? findSeen(call, session, target.element, sight)
    : findByItsWords(call, session, target, sight);
}

/**
 * Finds the element `id` of the caller's latest observation. When the same window still shows the same in its place and beside it, it is
 * where it was; else the tree is read again.
 */
async function findSeen(call: Call, session: PhoneSession, id: string, sight: Sight): Promise<Found> {
  const { captures, trees, phone } = session;
  const { seen, element } = elementSeen(session, id, sight);
  const before = seen.content.elements;
  const [{ pixels }, front] = await Promise.all([captures.next(call), readForeground(call, session)]);
  // Whole rows: the buttons of a list's rows look alike, and only the words beside them show that the list was scrolled.
  const untouched =
    seen.pixels !== undefined &&
    sameWindow(seen.front, front) &&
    sameRows(seen.pixels, pixels, element.bounds, phone.screen.density);
  if (untouched) return { element, elements: before, fresh: false };
  const { tree } = await trees.next(call);
  if (tree === undefined) {
    throw new ApiError(
      'timeout',
      `${id} could not be looked up: the screen does not come to rest. Tap x and y instead, or wait and observe again.`,
    );
  }
  const now = elementsOf(tree, pixels).elements;
  const again = sameWindow(seen.front, foregroundOf(tree, front)) ? findAgain(element, before, now, pixels) : undefined;
  if (again === undefined) {
    throw new ApiError(
      'not_found',
      `${id} of your observation ${seen.id} is not on the screen any more. Observe again.`,
    );
  }
  return { element: again, elements: now, fresh: true };
}

/** The element `id` as it was in the caller's latest observation. Throws not_found when it is not one of that. */
export function elementSeen({ phone }: PhoneSession, id: string, sight: Sight) {
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
 * Finds the one element with these words. Where there are several, the error lists their ids, so the observation in
 * which they were found becomes the caller's latest one.
 */
async function findByItsWords(
  call: Call,
  session: PhoneSession,
  { text, role, field }: ElementByWords,
  sight: Sight,
): Promise<Found> {
  const what = `${role === undefined ? '' : `${role} `}${JSON.stringify(text)}`;
  const state = await readScreen(call, session);
  if (state.dump.tree === undefined) {
    throw new ApiError(
      'timeout',
      `${field}: ${what} could not be looked up: the screen does not come to rest. Tap x and y instead, or wait.`,
    );
  }
  const { elements } = contentOf(state.dump.tree, state.frame.pixels, session);
  const [element, another] = findByWords(elements, text, role);
  if (element === undefined) throw new ApiError('not_found', `${field}: ${what} is not on the screen. Observe it.`);
  if (another === undefined) return { element, elements, fresh: true };
  const look = await describe(call, session, state, sight, { picture: undefined });
  sight.remember({ ...look, shown: false });
  const found = findByWords(look.content.elements, text, role);
  const lines = found.slice(0, LISTED_MOST).map(elementLine);
  if (found.length > lines.length) lines.push(`and ${found.length - lines.length} more`);
  throw new ApiError(
    'bad_request',
    `${field}: ${what} matches ${found.length} elements: ${lines.join('; ')}. Name one by its element id, by more of its words ` +
      'or by its role.',
  );
}
