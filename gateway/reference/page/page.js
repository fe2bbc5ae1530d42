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
  document.getElementById('reference'),
);
