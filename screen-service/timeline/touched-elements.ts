import type { MessageInitShape } from '@bufbuild/protobuf';
import type { TouchedElementSchema } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import { type InputEvent, TouchPhase } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { findByWords } from '../tree/find-words.js';
import { elementAt } from '../tree/tap-point.js';

type Touched = MessageInitShape<typeof TouchedElementSchema> & { event: number; text: string; role: string };

/** Longest words that name an element, characters; the same as in a target of `act`. */
const MAX_WORDS_CHARS = 1_000;

/** What is known of the screen around some input. */
export interface AroundInput {
  /** The elements before the input. Undefined: not known. */
  before: ScreenContent | undefined;
  /** The elements when the screen was still again. Undefined: not known. */
  after: ScreenContent | undefined;
  /** Whether the place of an element still showed the same when the input began, as far as pictures show. */
  isThere: (element: ScreenElement) => boolean;
}

/**
 * Returns the elements that took the events of raw input: those that were hit, and the focused field for the text at the end. Only elements
 * that their words name alone are returned. A touch after the first may have met another screen, so its element must still be there in the end.
 */
export function touchedElements(events: readonly InputEvent[], { before, after, isThere }: AroundInput): Touched[] {
  const touched: Touched[] = [];
  let touches = 0;
  for (const [event, { kind }] of events.entries()) {
    const previous = events[event - 1]?.kind.case;
    if (kind.case === 'text' && previous !== 'text') {
      const field = after && isLastInput(events, event) ? focusedField(after) : undefined;
      const words = field && after && wordsOf(field, after.elements);
      if (words !== undefined) touched.push({ event, ...words });
    }
    if (kind.case !== 'touch' || kind.value.phase !== TouchPhase.DOWN || (kind.value.pointer ?? 0) !== 0) continue;
    touches++;
    const element = before && elementAt(kind.value, before.elements);
    if (before === undefined || element === undefined || !isThere(element)) continue;
    if (touches > 1 && after?.elements.some((other) => isSame(element, other)) !== true) continue;
    const words = wordsOf(element, before.elements);
    if (words !== undefined) touched.push({ event, ...words });
  }
  return touched;
}

/** Whether nothing but text was sent after an event. Keys and touches may move the focus, so it is not known what had it before them. */
export function isLastInput(events: readonly InputEvent[], event: number): boolean {
  return events.slice(event + 1).every(({ kind }) => kind.case === 'text' || kind.case === 'wait');
}

/** Returns the text field that has the focus. */
export function focusedField({ elements }: ScreenContent): ScreenElement | undefined {
  return elements.find(({ role, states }) => role === 'textfield' && states.includes('focused'));
}

/** Returns words that name an element alone. The content of a field changes, so its label is the better name. */
function wordsOf(
  element: ScreenElement,
  elements: readonly ScreenElement[],
): { text: string; role: string } | undefined {
  const { role, text, label, words } = element;
  const candidates = role === 'textfield' ? [label, text] : [text, ...words, label];
  const found = candidates.find((one) => {
    if (one === '' || one.length > MAX_WORDS_CHARS || one.includes('•')) return false;
    const [only, ...others] = findByWords(elements, one, role);
    return only === element && others.length === 0;
  });
  return found === undefined ? undefined : { text: found, role };
}

function isSame(a: ScreenElement, b: ScreenElement): boolean {
  const isThere = a.bounds.x === b.bounds.x && a.bounds.y === b.bounds.y;
  return isThere && a.role === b.role && a.text === b.text && a.label === b.label;
}
