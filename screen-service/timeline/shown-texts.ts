import type { InputEvent } from '../../proto/gen/cloudphone/screen/v1/input_pb.js';
import type { ScreenContent } from '../tree/elements.js';
import { focusedField } from './touched-elements.js';

/** Least characters of a typed text that is searched for inside fields. Shorter texts are in many fields by chance. */
const MIN_SURE = 4;

/**
 * Returns the typed texts of raw input that may be kept, as fields show them in the end. A keyboard sends a text in pieces, so pieces that
 * follow each other count as one. Where any of the texts does not show, none is returned: its letters may be in the others too.
 */
export function shownTexts(events: readonly InputEvent[], after: ScreenContent | undefined): Set<string> {
  const runs = typedRuns(events);
  const isShown = after !== undefined && runs.every((run, at) => shows(after, run.join(''), at === runs.length - 1));
  return new Set(isShown ? runs.flat() : []);
}

function typedRuns(events: readonly InputEvent[]): string[][] {
  const runs: string[][] = [];
  for (const [at, { kind }] of events.entries()) {
    if (kind.case !== 'text') continue;
    const last = runs.at(-1);
    if (last !== undefined && events[at - 1]?.kind.case === 'text') last.push(kind.value.text);
    else runs.push([kind.value.text]);
  }
  return runs;
}

/** Whether a field shows a text. The last text went into the focused field, unless the focus has moved on. */
function shows(after: ScreenContent, text: string, isLast: boolean): boolean {
  const fields = after.elements.filter(
    ({ role, states, text: shown }) => role === 'textfield' && !states.includes('password') && !shown.includes('•'),
  );
  const focused = focusedField(after);
  if (isLast && focused !== undefined && fields.includes(focused) && focused.text.includes(text)) return true;
  return fields.some((field) => field.text === text || (text.length >= MIN_SURE && field.text.includes(text)));
}
