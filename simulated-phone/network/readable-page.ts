import { parseHttpUrl, parseUrl } from '../../kit/text/parse-url.js';

/** One piece of a page as a reader sees it. */
export interface PageBlock {
  kind: 'heading' | 'paragraph' | 'item' | 'link';
  text: string;
  /** Absolute address of a link. */
  href?: string;
}

export interface ReadablePage {
  title: string;
  blocks: PageBlock[];
  /** Whether the page has more blocks than are kept. */
  cut: boolean;
}

const MAX_BLOCKS = 300;
const MAX_BLOCK_CHARS = 2000;
const SKIPPED = /^(script|style|noscript|template|svg|head|iframe|object|canvas)$/;
const BREAKING =
  /^(address|article|aside|blockquote|body|br|dd|div|dl|dt|fieldset|figure|footer|form|h[1-6]|header|hr|html|li|main|nav|ol|p|pre|section|table|td|th|tr|ul)$/;
/**
 * Matches a tag, a comment, a declaration, or a run of text. Where its end or a closing quote is missing, the match extends to the end of
 * the page. Otherwise each such tag would be searched to that end in vain, in quadratic time.
 */
const TOKEN =
  /<!--[\s\S]*?(?:-->|$)|<[!?][^>]*(?:>|$)|<\/?([a-zA-Z][^\s/>]*)((?:"[^"]*(?:"|$)|'[^']*(?:'|$)|[^'">])*)(?:>|$)|(?:[^<]|<(?![a-zA-Z/!?]))+|</g;

/** Returns the text of an HTML page: its title, headings, paragraphs, list items and links, in order, without scripts and pictures. */
export function readablePage(html: string, url: string): ReadablePage {
  const page: ReadablePage = { title: '', blocks: [], cut: false };
  let kind: PageBlock['kind'] = 'paragraph';
  let words = '';
  let href: string | undefined;
  let skipped: string | undefined;
  let inTitle = false;

  const close = (): void => {
    const text = squeezed(words).slice(0, MAX_BLOCK_CHARS);
    words = '';
    if (text === '') return;
    if (page.blocks.length === MAX_BLOCKS) {
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
      // A body's tag ends a head that was never closed.
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

/**
 * Returns the target of a link; undefined for a link to something else than a web page, such as `javascript:`. Pages that are files of the
 * phone may lead to other files.
 */
function target(attributes: string, base: string): string | undefined {
  const match = /\bhref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))/i.exec(attributes);
  const raw = match?.[1] ?? match?.[2] ?? match?.[3];
  if (raw === undefined) return undefined;
  const link = unescaped(raw.trim());
  const isFile = base.startsWith('file:') && parseUrl(link, base)?.protocol === 'file:';
  return (isFile ? parseUrl(link, base) : parseHttpUrl(link, base))?.href;
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
