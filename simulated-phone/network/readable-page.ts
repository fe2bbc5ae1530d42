import { parseHttpUrl } from '../../kit/parse-url.js';

/** One piece of a page as a reader sees it. */
export interface PageBlock {
  kind: 'heading' | 'paragraph' | 'item' | 'link';
  text: string;
  /** Of a link, absolute. */
  href?: string;
}

export interface ReadablePage {
  title: string;
  blocks: PageBlock[];
  /** Whether more followed than is kept. */
  cut: boolean;
}

const MOST_BLOCKS = 300;
const MOST_BLOCK_LETTERS = 2000;
const SKIPPED = /^(script|style|noscript|template|svg|head|iframe|object|canvas)$/;
const BREAKING =
  /^(address|article|aside|blockquote|body|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|table|td|th|tr|ul)$/;
/**
 * A tag, a comment or a declaration, or a run of text. Unclosed ones, quotes too, end with the page: a match that could fail at the end
 * of the page would be tried again from each tag before it.
 */
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*(?:>|$)|<\/?([a-zA-Z][^\s/>]*)((?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^'">])*)(?:>|$)|(?:[^<]|<(?![a-zA-Z/!?]))+|</g;

/** The text of an HTML page: its title, headings, paragraphs, list items and links, in order. No scripts, no pictures. */
export function readablePage(html: string, url: string): ReadablePage {
  const page: ReadablePage = { title: '', blocks: [], cut: false };
  let kind: PageBlock['kind'] = 'paragraph';
  let words = '';
  let href: string | undefined;
  let skipped: string | undefined;
  let inTitle = false;

  const close = (): void => {
    const text = squeezed(words).slice(0, MOST_BLOCK_LETTERS);
    words = '';
    if (text === '') return;
    if (page.blocks.length === MOST_BLOCKS) {
      page.cut = true;
      return;
    }
    page.blocks.push(href === undefined ? { kind, text } : { kind: 'link', text, href });
  };

  for (const [token, tag, attributes = ''] of html.matchAll(TOKEN)) {
    if (tag === undefined) {
      if (token.startsWith('<!') || token.startsWith('<?')) continue;
      if (inTitle) page.title += token;
      else if (skipped === undefined) words += token;
      continue;
    }
    const name = tag.toLowerCase();
    const closing = token.startsWith('</');
    if (name === 'title' && page.blocks.length === 0) {
      inTitle = !closing;
      continue;
    }
    if (skipped !== undefined) {
      if (closing && name === skipped) skipped = undefined;
      // A body ends a head that was never closed.
      if (!(skipped === 'head' && name === 'body')) continue;
      skipped = undefined;
    }
    if (SKIPPED.test(name)) {
      if (!closing && !token.endsWith('/>')) skipped = name;
      continue;
    }
    if (name === 'a') {
      close();
      href = closing ? undefined : target(attributes, url);
      continue;
    }
    if (!BREAKING.test(name)) continue;
    close();
    kind = closing ? 'paragraph' : /^h[1-6]$/.test(name) ? 'heading' : name === 'li' ? 'item' : 'paragraph';
  }
  close();
  page.title = squeezed(page.title).slice(0, 200);
  return page;
}

/** Where a link leads; undefined when that is no page, such as `javascript:`. */
function target(attributes: string, base: string): string | undefined {
  const match = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes);
  const raw = match?.[1] ?? match?.[2] ?? match?.[3];
  if (raw === undefined) return undefined;
  const link = unescaped(raw.trim());
  return parseHttpUrl(link, base)?.href;
}

function squeezed(text: string): string {
  return unescaped(text).replace(/\s+/g, ' ').trim();
}

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  copy: '©',
  reg: '®',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  middot: '·',
  bull: '•',
  euro: '€',
};

function unescaped(text: string): string {
  return text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return NAMED[name.toLowerCase()] ?? whole;
      const code = hex === undefined ? Number(decimal) : parseInt(hex, 16);
      return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
    },
  );
}
