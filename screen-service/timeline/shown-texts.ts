import type { InputEvent } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { focusedField, isLastInput } from './touched-elements.js';

/** Least characters of a typed text that is searched for inside fields. Shorter texts are in many fields by chance. */
const MIN_SURE = 4;

/**
 * Returns the typed texts of raw input that may be kept, as fields show them in the end. A keyboard sends a text in pieces, so pieces that
 * follow each other count as one. Where any of the texts does not show, none is returned: its letters may be in the others too.
 *
 * A field for passwords before or after may have taken a text that another field shows too, such as a name that is its own password. There,
 * only the text counts that the focused field shows in the end.
 */
export function shownTexts(
  events: readonly InputEvent[],
  { before, after }: { before: ScreenContent | undefined; after: ScreenContent | undefined },
): Set<string> {
  if (after === undefined) return new Set();
  const runs = typedRuns(events);
  const mayHide = [before, after].some((content) =>
    content?.elements.some(({ states }) => states.includes('password')),
  );
  const isShown = runs.every(({ texts, at }) => {
    const text = texts.join('');
    if (isLastInput(events, at + texts.length - 1) && isInFocus(after, text)) return true;
    return !mayHide && shows(after, text);
  });
  return new Set(isShown ? runs.flatMap(({ texts }) => texts) : []);
}

/** A text in the pieces in which it was typed, and the index of its first event. */
interface TypedRun {
  texts: string[];
  at: number;
}

function typedRuns(events: readonly InputEvent[]): TypedRun[] {
  const runs: TypedRun[] = [];
  for (const [at, { kind }] of events.entries()) {
    if (kind.case !== 'text') continue;
    const last = runs.at(-1);
    if (last !== undefined && events[at - 1]?.kind.case === 'text') last.texts.push(kind.value.text);
    else runs.push({ texts: [kind.value.text], at });
  }
  return runs;
}

function isInFocus(after: ScreenContent, text: string): boolean {
  const focused = focusedField(after);
  return focused !== undefined && plainFields(after).includes(focused) && focused.text.includes(text);
}

/** Whether a field shows a text, wherever the focus is. */
function shows(after: ScreenContent, text: string): boolean {
  return plainFields(after).some((field) => fieldShows(field.text, text));
}

/** Whether the content of a field is or contains a typed text. */
export function fieldShows(content: string, text: string): boolean {
  return content === text || (text.length >= MIN_SURE && content.includes(text));
}

/** Returns the fields whose texts are neither passwords nor hidden. */
export function plainFields(content: ScreenContent | undefined): ScreenElement[] {
  return (content?.elements ?? []).filter(
    ({ role, states, text }) => role === 'textfield' && !states.includes('password') && !text.includes('•'),
  );
}
