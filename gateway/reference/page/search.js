import { element } from './element.js';

/** Most results that are shown. */
const SHOWN_MAX = 20;

/** Puts the search into its place. Its index is loaded when the search gets the focus for the first time. */
export function createSearch(place) {
  const list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found', hidden: '' });
  const input = element('input', {
    ...{ type: 'search', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'found' },
    ...{ 'aria-autocomplete': 'list', 'aria-label': 'Search operations, fields and guides' },
    ...{ placeholder: 'Search operations, fields, guides   /', autocomplete: 'off', spellcheck: 'false' },
  });
  place.append(input, list);
  place.hidden = false;

  let index;
  let chosen = 0;
  const load = () => (index ??= loadIndex(place.dataset.index).catch(() => (index = undefined)));
  const options = () => [...list.querySelectorAll('[data-address]')];

  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const choose = (position) => {
    const all = options();
    chosen = all.length === 0 ? 0 : (position + all.length) % all.length;
    for (const [at, option] of all.entries()) option.setAttribute('aria-selected', String(at === chosen));
    all[chosen]?.scrollIntoView({ block: 'nearest' });
    if (all[chosen] === undefined) input.removeAttribute('aria-activedescendant');
    else input.setAttribute('aria-activedescendant', all[chosen].id);
  };
  const show = async () => {
    const text = input.value.trim();
    if (text === '') return close();
    const entries = await load();
    // The reader has typed on while the index was loading.
    if (text !== input.value.trim()) return;
    list.replaceChildren(...(entries === undefined ? [note('The index could not be loaded.')] : rows(entries, text)));
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    choose(0);
  };
  const open = (option) => {
    if (option === undefined) return;
    close();
    input.value = '';
    location.assign(option.dataset.address);
  };

  input.addEventListener('focus', load);
  input.addEventListener('input', show);
  input.addEventListener('blur', close);
  // The list keeps the input's focus, so that a click is one.
  list.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target }) => open(target.closest('[data-address]') ?? undefined));
  input.addEventListener('keydown', (event) => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') choose(chosen + (key === 'ArrowDown' ? 1 : -1));
    else if (key === 'Enter') open(list.hidden ? undefined : options()[chosen]);
    else if (key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isInField = event.target.closest?.('input, textarea, select') !== null;
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isInField) return;
    event.preventDefault();
    input.focus();
  });
}

async function loadIndex(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the index has status ${response.status}`);
  return response.json();
}

function rows(entries, text) {
  const found = find(entries, text).slice(0, SHOWN_MAX);
  if (found.length === 0) return [note('Nothing found.')];
  return found.map(({ title, about, address }, at) =>
    element(
      'li',
      { role: 'option', id: `found-${at}`, 'data-address': address, 'aria-selected': 'false' },
      title,
      element('span', {}, about),
    ),
  );
}

function note(text) {
  return element('li', { class: 'none', role: 'option', 'aria-disabled': 'true', id: 'found-none' }, text);
}

/** Returns the entries that have all words of the text, the best first: by the title's beginning, the title, or what it is about. */
function find(entries, text) {
  const words = text.toLowerCase().split(/\s+/);
  const ranked = [];
  for (const entry of entries) {
    const title = entry.title.toLowerCase();
    const all = `${title} ${entry.about.toLowerCase()}`;
    if (!words.every((word) => all.includes(word))) continue;
    const whole = words.join(' ');
    ranked.push([title === whole ? 0 : title.startsWith(whole) ? 1 : title.includes(whole) ? 2 : 3, entry]);
  }
  return ranked.sort(([a], [b]) => a - b).map(([, entry]) => entry);
}
