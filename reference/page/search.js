import { element } from './element.js';

/** Puts the search into its place. Its library and its index are loaded when the search gets the focus for the first time. */
export function createSearch(place) {
  const list = element('ul', { id: 'found', role: 'listbox', 'aria-label': 'Found' });
  const keys = element('p', { class: 'keys', 'aria-hidden': 'true' }, '↑ ↓ choose · Enter opens · Esc closes');
  const panel = element('div', { class: 'found', hidden: '' }, list, keys);
  const count = element('p', { class: 'unseen', role: 'status' });
  const input = element('input', {
    ...{ type: 'search', role: 'combobox', 'aria-expanded': 'false', 'aria-controls': 'found' },
    ...{ 'aria-autocomplete': 'list', 'aria-label': 'Search guides, operations, fields, errors and settings' },
    ...{ placeholder: 'Search the docs   /', autocomplete: 'off', spellcheck: 'false', enterkeyhint: 'go' },
  });
  place.append(input, count, panel);
  place.hidden = false;

  let loading;
  let loaded;
  let chosen = 0;
  const load = () =>
    (loading ??= loadFinder(place.dataset.index).then(
      (finder) => (loaded = finder),
      () => (loading = undefined),
    ));
  const options = () => [...list.querySelectorAll('[data-address]')];

  const close = () => {
    panel.hidden = true;
    count.textContent = '';
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const choose = (position) => {
    const all = options();
    chosen = all.length === 0 ? 0 : (position + all.length) % all.length;
    for (const [at, option] of all.entries()) option.setAttribute('aria-selected', String(at === chosen));
    if (all[chosen] === undefined) return input.removeAttribute('aria-activedescendant');
    // The first one with what is above it.
    if (chosen === 0) list.scrollTop = 0;
    else all[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', all[chosen].id);
  };
  const fill = (rows, text) => {
    list.replaceChildren(...rows);
    panel.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    count.textContent = text;
    choose(0);
  };
  const show = async () => {
    const text = input.value.trim();
    if (text === '') return close();
    if (loaded === undefined) fill([noteRow('Loading…')], '');
    await load();
    // The reader has typed on while the index was loading.
    if (text !== input.value.trim()) return;
    if (loaded === undefined) return fill([noteRow('The search could not be loaded. Type on to try again.')], '');
    const found = loaded.find(text);
    const rows = found.map((result, at) => loaded.rowOf(result, at));
    if (rows.length > 0) fill(rows, `${rows.length} results`);
    else fill([noteRow(`Nothing found for “${text}”. Try fewer or other words.`)], 'Nothing found');
  };
  const open = (option, isAside = false) => {
    if (option === undefined) return;
    const { address } = option.dataset;
    if (isAside) return window.open(address);
    close();
    input.value = '';
    input.blur();
    location.assign(address);
  };

  input.addEventListener('focus', () => {
    load();
    if (input.value.trim() !== '') show();
  });
  input.addEventListener('input', show);
  input.addEventListener('blur', close);
  // The list keeps the input's focus, so that a click is one.
  panel.addEventListener('mousedown', (event) => event.preventDefault());
  list.addEventListener('click', ({ target, ctrlKey, metaKey }) =>
    open(target.closest('[data-address]') ?? undefined, ctrlKey || metaKey),
  );
  input.addEventListener('keydown', (event) => {
    const { key } = event;
    if (key === 'ArrowDown' || key === 'ArrowUp') choose(chosen + (key === 'ArrowDown' ? 1 : -1));
    else if (key === 'Enter') open(panel.hidden ? undefined : options()[chosen], event.ctrlKey || event.metaKey);
    else if (key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  document.addEventListener('keydown', (event) => {
    const isInField = event.target.closest?.('input, textarea, select') !== null;
    const isSlash = event.key === '/' && !isInField && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isCtrlK = event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey);
    if (!isSlash && !isCtrlK) return;
    event.preventDefault();
    input.focus();
    input.select();
  });
}

/** Returns the row that is there in place of results. */
function noteRow(text) {
  return element('li', { class: 'none', role: 'option', 'aria-disabled': 'true', id: 'found-none' }, text);
}

/** Returns how to find, and how to show what is found. */
async function loadFinder(address) {
  const [json, { default: MiniSearch }, { find, INDEX_OPTIONS }, { termsOf }, { resultRow }] = await Promise.all([
    textAt(address),
    import('./minisearch.js'),
    import('./ranking.js'),
    import('./terms.js'),
    import('./results.js'),
  ]);
  const index = await MiniSearch.loadJSONAsync(json, INDEX_OPTIONS);
  // A word of one letter is not looked for, as it is a part of a name that says nothing.
  const isIn = (word, terms) => word.length > 1 && termsOf(word).some((term) => terms.includes(term));
  return { find: (text) => find(index, text), rowOf: (result, at) => resultRow(result, at, isIn) };
}

async function textAt(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the index has status ${response.status}`);
  return response.text();
}
