import type { Call } from '../../kit/call/call.js';
import type { Foreground } from '../../phone/screen/windows.js';
import { sameWindow } from '../display/foreground.js';
import { packageOf } from '../app/open-app.js';
import type { LastObservation } from '../observe/last-observations.js';
import type { ReachedPhone } from '../link/reached-phone.js';
import type { ScreenContent, ScreenElement } from '../tree/elements.js';
import { findAlike } from '../tree/find-alike.js';
import { findByWords } from '../tree/find-words.js';
import { showsText } from '../tree/find-text.js';
import type { Role } from '../tree/role.js';
import { elementSeen } from './find-target.js';

export type StateWord = 'checked' | 'unchecked' | 'selected' | 'unselected' | 'enabled' | 'disabled' | 'focused';

/** A condition that must be true on the screen after a step. */
export type Expectation =
  | { text: string; role: Role | undefined; state: StateWord | undefined }
  | { gone: string }
  | { app: string }
  | { element: string; state: StateWord | undefined };

/** An expectation that can be compared with the screen. */
export interface ExpectedScreen {
  /** The part of the screen that must be read for it. */
  needs: { tree: boolean; front: boolean };
  /** Each part of the screen is undefined until it was read. */
  holds(content: ScreenContent | undefined, front: Foreground | undefined): boolean;
}

/** Looks up the app and element that the expectation names. Throws not_found for an app or an element that does not exist. */
export async function expectedScreen(
  call: Call,
  phoneSession: ReachedPhone,
  expectation: Expectation,
  lastObservation: LastObservation,
): Promise<ExpectedScreen> {
  if ('app' in expectation) {
    const name = await packageOf(call, phoneSession, expectation.app, 'expect.app');
    return { needs: { tree: false, front: true }, holds: (_content, front) => front?.app === name };
  }
  if ('element' in expectation) {
    const { seen, element } = elementSeen(phoneSession, expectation.element, lastObservation);
    return {
      needs: { tree: true, front: true },
      holds: (content, front) => {
        if (content === undefined || front === undefined || !sameWindow(seen.front, front)) return false;
        const again = findAlike(element, seen.content.elements, content.elements, seen.screen);
        return again !== undefined && isIn(again, expectation.state);
      },
    };
  }
  const needs = { tree: true, front: false };
  if ('gone' in expectation) {
    return { needs, holds: (content) => content !== undefined && !showsText(content.texts, expectation.gone) };
  }
  const { text, role, state } = expectation;
  return {
    needs,
    holds: (content) => {
      if (content === undefined) return false;
      if (role === undefined && state === undefined) return showsText(content.texts, text);
      return findByWords(content.elements, text, role).some((element) => isIn(element, state));
    },
  };
}

/** Describes an expectation that did not come true, as a part of a sentence. */
export function unmetText(expectation: Expectation): string {
  if ('app' in expectation) return `the app ${expectation.app} did not come to the front`;
  if ('gone' in expectation) return `the text ${JSON.stringify(expectation.gone)} did not go away`;
  const what =
    'element' in expectation
      ? expectation.element
      : `${expectation.role ?? 'the text'} ${JSON.stringify(expectation.text)}`;
  return expectation.state === undefined ? `${what} did not appear` : `${what} did not become ${expectation.state}`;
}

function isIn({ states }: ScreenElement, state: StateWord | undefined): boolean {
  switch (state) {
    case undefined:
      return true;
    case 'unchecked':
      return states.includes('checkable') && !states.includes('checked');
    case 'unselected':
      return !states.includes('selected');
    case 'enabled':
      return !states.includes('disabled');
    default:
      return states.includes(state);
  }
}
