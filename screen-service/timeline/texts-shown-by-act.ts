import type { Observation } from '../observe/observation.js';
import type { ActRequest } from '../../proto/gen/cloudphone/screen/v1/screen_service_pb.js';
import type { ScreenElement } from '../tree/elements.js';
import { fieldShows, plainFields } from './shown-texts.js';

/**
 * Returns the typed texts of an act that are known to be no password, and so may be kept:
 *
 * - Each time that the text was typed, its field was known to show it.
 * - Or it was typed once, by the last step, and the field that has the focus shows it.
 * - Or it was typed once, a field shows it that did not before, and no field for passwords is seen that may have taken it.
 */
export function textsShownByAct(
  request: ActRequest,
  shownTexts: readonly string[],
  observation: Observation | undefined,
): string[] {
  const kinds = kindsOf(request);
  const last = kinds.at(-1);
  const typed = kinds.flatMap((kind) => (kind.case === 'type' ? [kind.value.text] : []));
  const times = (texts: readonly string[], text: string): number => texts.filter((one) => one === text).length;
  const before = observation?.before?.content;
  // Elements that are late may be from before the text was typed.
  const after = observation?.elementsAgeMs === undefined ? observation?.content : undefined;
  const mayHide = [before, observation?.content].some(
    (content) => content?.elements.some(({ states }) => states.includes('password')) === true,
  );
  const known = new Set(textsOf(plainFields(before)));
  const fields = textsOf(plainFields(after)).filter((text) => !mayHide && !known.has(text));
  const inFocus = textsOf(plainFields(after).filter(({ states }) => states.includes('focused')));
  return typed.filter((text) => {
    const typedTimes = times(typed, text);
    if (times(shownTexts, text) === typedTimes) return true;
    const seen = last?.case === 'type' && last.value.text === text ? [...fields, ...inFocus] : fields;
    return typedTimes === 1 && seen.some((field) => fieldShows(field, text));
  });
}

function textsOf(elements: readonly ScreenElement[]): string[] {
  return elements.map(({ text }) => text);
}

function kindsOf({ step, steps }: ActRequest): ActRequest['step'][] {
  return step.case === undefined ? steps.map(({ kind }) => kind) : [step];
}
