import type { SeenElement } from '../ui/seen-elements.js';
import { WebDriverRefusal } from './web-driver-refusal.js';

/** Matches elements. `at`: the number of the match to take, from 0. Absent: all matches. */
export interface ElementSelector {
  matches: (element: SeenElement) => boolean;
  at?: number;
}

/** Longest selector, characters. */
const MAX_SELECTOR_CHARS = 1_000;

/** Reads a selector of one of Appium's strategies. Throws a refusal that names the strategies and methods that there are. */
export function parseSelector(strategy: string, selector: string): ElementSelector {
  if (selector.length > MAX_SELECTOR_CHARS)
    throw new WebDriverRefusal(400, 'invalid selector', `A selector has at most ${MAX_SELECTOR_CHARS} characters`);
  switch (strategy) {
    case 'id':
      return { matches: resourceId(selector) };
    case 'accessibility id':
      return { matches: attribute('content-desc', (value) => value === selector) };
    case 'class name':
      return { matches: attribute('class', (value) => value === selector) };
    case '-android uiautomator':
      return parseUiSelector(selector);
    default:
      throw new WebDriverRefusal(
        400,
        'invalid selector',
        `The simulated phone does not find by ${strategy}: use id, accessibility id, class name or -android uiautomator`,
      );
  }
}

const attribute =
  (name: string, test: (value: string) => boolean) =>
  ({ attributes }: SeenElement): boolean =>
    test(attributes.get(name) ?? '');

/** Matches a whole resource id. An id without a package matches that name in any package. */
function resourceId(id: string): (element: SeenElement) => boolean {
  return id.includes(':')
    ? attribute('resource-id', (value) => value === id)
    : attribute('resource-id', (value) => value.endsWith(`:id/${id}`));
}

/** `new UiSelector()`, which may be left out, then methods with one argument each. */
const UI_SELECTOR =
  /^\s*(?:new\s+UiSelector\s*\(\s*\))?\s*((?:\.?\w+\s*\(\s*(?:"(?:[^"\\]|\\.)*"|\w+)\s*\)\s*)+);?\s*$/;
const METHOD = /(\w+)\s*\(\s*("(?:[^"\\]|\\.)*"|\w+)\s*\)/g;

/** Methods of UiSelector with a text, and the attribute that they compare. */
const TEXTS: Readonly<Record<string, [name: string, test: (value: string, wanted: string) => boolean]>> = {
  text: ['text', (value, wanted) => value === wanted],
  textContains: ['text', (value, wanted) => value.toLowerCase().includes(wanted.toLowerCase())],
  textStartsWith: ['text', (value, wanted) => value.toLowerCase().startsWith(wanted.toLowerCase())],
  description: ['content-desc', (value, wanted) => value === wanted],
  descriptionContains: ['content-desc', (value, wanted) => value.toLowerCase().includes(wanted.toLowerCase())],
  descriptionStartsWith: ['content-desc', (value, wanted) => value.toLowerCase().startsWith(wanted.toLowerCase())],
  resourceId: ['resource-id', (value, wanted) => value === wanted],
  className: ['class', (value, wanted) => value === wanted],
  packageName: ['package', (value, wanted) => value === wanted],
};

/** Methods of UiSelector with true or false, and the attribute that they compare. */
const STATES: Readonly<Record<string, string>> = {
  checkable: 'checkable',
  checked: 'checked',
  clickable: 'clickable',
  enabled: 'enabled',
  focusable: 'focusable',
  focused: 'focused',
  longClickable: 'long-clickable',
  scrollable: 'scrollable',
  selected: 'selected',
};

function parseUiSelector(selector: string): ElementSelector {
  const methods = UI_SELECTOR.exec(selector)?.[1];
  if (methods === undefined) throw invalid(selector);
  const tests: ((element: SeenElement) => boolean)[] = [];
  let at: number | undefined;
  for (const [, name = '', argument = ''] of methods.matchAll(METHOD)) {
    const text = Object.hasOwn(TEXTS, name) ? TEXTS[name] : undefined;
    const state = Object.hasOwn(STATES, name) ? STATES[name] : undefined;
    if (text !== undefined && argument.startsWith('"')) {
      const wanted = argument.slice(1, -1).replace(/\\(.)/gs, '$1');
      tests.push(attribute(text[0], (value) => text[1](value, wanted)));
    } else if (state !== undefined && /^(true|false)$/.test(argument)) {
      tests.push(attribute(state, (value) => value === argument));
    } else if (name === 'instance' && /^\d{1,6}$/.test(argument)) {
      at = Number(argument);
    } else throw invalid(selector);
  }
  return { matches: (element) => tests.every((test) => test(element)), ...(at !== undefined && { at }) };
}

function invalid(selector: string): WebDriverRefusal {
  const names = [...Object.keys(TEXTS), ...Object.keys(STATES), 'instance'].join(', ');
  return new WebDriverRefusal(
    400,
    'invalid selector',
    `The simulated phone does not read the selector ${selector.slice(0, 200)}. It knows new UiSelector() with ${names}`,
  );
}
