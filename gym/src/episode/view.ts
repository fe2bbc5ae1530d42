import type { ActResult, Observation as Screen } from '../../../client/src/agent.js';
import { applyChanges } from '../../../client/src/element-lines.js';

/** The lines of the screen, as an agent knows them. */
export interface View {
  app: string;
  text: string;
  changed: string;
  /** Id of the observation that the next difference is from. */
  id: string | undefined;
}

/** The members of an observation that a view is made of. */
type Lines = Pick<Screen, 'app' | 'elements_text' | 'changed_since' | 'id'>;

export function firstView({ app = '', elements_text: text = '', id }: Lines): View {
  return { app, text, changed: text, id };
}

/** Returns the view after a step. Undefined: the difference is from another observation, so that it is of no use. */
export function nextView(before: View, screen: Lines | undefined): View | undefined {
  if (screen === undefined) return undefined;
  const { app = '', elements_text: changed = '', changed_since: since, id } = screen;
  if (since === undefined) return firstView(screen);
  if (since !== before.id) return undefined;
  return { app, text: applyChanges(before.text, changed), changed, id };
}

/** Estimates the tokens of a text, as models count them: four characters of Latin letters, one of all others. */
export function tokensOf(text: string): number {
  const others = Array.from(text).filter((char) => char > '\u024f').length;
  return Math.ceil((text.length - others) / 4) + others;
}

/** Whether a press hit nothing, or changed nothing. */
export function isWrongPress(
  action: object,
  result: { failed?: unknown; screen?: ActResult['screen'] | undefined } | undefined,
): boolean {
  if (!['tap', 'double_tap', 'long_press'].some((kind) => kind in action)) return false;
  return result === undefined || result.failed !== undefined || result.screen === 'unchanged';
}
