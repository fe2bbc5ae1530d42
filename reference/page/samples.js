/** Where the browser remembers the reader's language. */
const KEY = 'cloudphone-reference-language';

/** Shows all samples in the language of the last choice, on this page and the next ones. */
export function followLanguage() {
  const remembered = read();
  if (remembered !== null) choose(remembered);
  document.addEventListener('change', ({ target }) => {
    if (target.closest('.samples') === null) return;
    const before = target.getBoundingClientRect().top;
    choose(target.value);
    // Samples above it have other heights now; what the reader looks at stays in its place.
    scrollBy(0, target.getBoundingClientRect().top - before);
    write(target.value);
  });
}

function choose(language) {
  for (const input of document.querySelectorAll('.samples input')) input.checked = input.value === language;
  // A language that there is no more.
  for (const first of document.querySelectorAll('.samples:not(:has(:checked)) input:first-of-type'))
    first.checked = true;
}

// A browser may refuse to keep anything for a page.
function read() {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function write(language) {
  try {
    localStorage.setItem(KEY, language);
  } catch {
    // The choice holds for this page.
  }
}
