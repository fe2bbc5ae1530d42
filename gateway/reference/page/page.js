// Shows the reference in the colours that the reader's system is set to.
const darkness = matchMedia('(prefers-color-scheme: dark)');
// The library takes its colours once.
darkness.addEventListener('change', () => location.reload());

const fonts = {
  fontFamily: 'system-ui, sans-serif',
  headings: { fontFamily: 'system-ui, sans-serif' },
  code: { fontFamily: 'ui-monospace, monospace' },
};

const light = {
  colors: { primary: { main: '#1d4ed8' }, text: { primary: '#1f2328', secondary: '#4b5563' } },
  typography: fonts,
};

const dark = {
  colors: {
    primary: { main: '#8ab4ff' },
    success: { main: '#7ee2a8' },
    error: { main: '#ff9d93' },
    warning: { main: '#f0c674' },
    text: { primary: '#e2e6ec', secondary: '#b3bcc8' },
    border: { dark: '#3a424e', light: '#2a313b' },
    gray: { 50: '#1b2027', 100: '#262c35' },
    responses: {
      success: { color: '#7ee2a8', backgroundColor: '#15281d', tabTextColor: '#7ee2a8' },
      error: { color: '#ff9d93', backgroundColor: '#2d1917', tabTextColor: '#ff9d93' },
      redirect: { color: '#f0c674', backgroundColor: '#2b2413', tabTextColor: '#f0c674' },
      info: { color: '#8ab4ff', backgroundColor: '#17212f', tabTextColor: '#8ab4ff' },
    },
  },
  schema: {
    nestedBackground: '#1b2027',
    typeNameColor: '#b3bcc8',
    typeTitleColor: '#b3bcc8',
    requireLabelColor: '#ff9d93',
    linesColor: '#3a424e',
  },
  sidebar: { backgroundColor: '#1b2027', textColor: '#e2e6ec', activeTextColor: '#8ab4ff' },
  rightPanel: { backgroundColor: '#0e1116', textColor: '#e2e6ec' },
  codeBlock: { backgroundColor: '#14171c' },
  typography: {
    ...fonts,
    links: { color: '#8ab4ff', visited: '#8ab4ff', hover: '#b7d0ff' },
    code: { ...fonts.code, color: '#ffb3a7', backgroundColor: '#262c35' },
  },
};

const reference = document.getElementById('reference');

Redoc.init(
  'reference.json',
  {
    theme: darkness.matches ? dark : light,
    // The search runs in a worker made of a blob, which the page's policy refuses. The browser's own search finds all.
    disableSearch: true,
    downloadUrls: [{ title: 'openapi-v1.yaml', url: '/openapi-v1.yaml' }],
    hideHostname: true,
    jsonSamplesExpandLevel: 4,
    pathInMiddlePanel: true,
    sortRequiredPropsFirst: true,
  },
  reference,
);

// The library has no options for what follows. Attributes that it does not set itself stay when it renders again.
new MutationObserver(() => {
  mendStructure();
  if (darkness.matches) mendColours();
}).observe(reference, { childList: true, subtree: true });

/** For those who use a keyboard or listen to the page. */
function mendStructure() {
  // They follow the h2 of an operation.
  for (const heading of reference.querySelectorAll('h5:not([aria-level])')) heading.setAttribute('aria-level', '3');
  // Samples and tables of guides that are wider than the page are scrolled.
  for (const wide of reference.querySelectorAll('pre:not([tabindex]), .redoc-markdown table:not([tabindex])')) {
    wide.setAttribute('tabindex', '0');
  }
  // A group of the menu is named by what is in it, which is more than its title.
  for (const group of reference.querySelectorAll('[role="menuitem"][aria-label]')) group.removeAttribute('aria-label');
}

/** Colours of the library that are fixed for a light page, by its rule: those of patterns and of the choices of "One of". */
function mendColours() {
  for (const { cssRules } of document.styleSheets) {
    for (const { style } of cssRules) {
      if (style === undefined) continue;
      if (style.color === 'rgb(14, 124, 134)') style.color = '#5cc8d2';
      if (style.color === 'white' && style.backgroundColor === 'rgb(138, 180, 255)') style.color = '#0e1116';
      if (style.color === 'rgb(138, 180, 255)' && style.backgroundColor === 'white') style.backgroundColor = '#1b2027';
    }
  }
}
