import { element } from './element.js';

/** What a result is, for people. */
const KINDS = {
  ...{ operation: 'Operation', event: 'Event', resource: 'Resource', guide: 'Guide', section: 'Section' },
  ...{ field: 'Field', result: 'Response field', error: 'Error', setting: 'Setting', inside: 'Internals' },
};

/** Returns the row of a result: what it is, its title, what it belongs to, and an excerpt with the found words marked. */
export function resultRow({ kind, title, about, excerpt, address, terms }, at, isIn) {
  const marked = (text) => markedText(text, (word) => isIn(word, terms));
  const texts = kind === 'guide' ? [about] : [excerpt];
  return element(
    'li',
    { role: 'option', id: `found-${at}`, 'data-address': address, 'aria-selected': 'false' },
    element('span', { class: `kind of-${kind}` }, KINDS[kind]),
    element('span', { class: 'title' }, ...marked(title)),
    ...(kind === 'guide' ? [] : [element('span', { class: 'about' }, ...marked(about))]),
    ...texts.filter((text) => text !== '').map((text) => element('span', { class: 'excerpt' }, ...marked(text))),
  );
}

function markedText(text, isFound) {
  return text
    .split(/([\p{L}\p{N}_]+)/u)
    .filter((part) => part !== '')
    .map((part) => (/^[\p{L}\p{N}_]/u.test(part) && isFound(part) ? element('mark', {}, part) : part));
}
