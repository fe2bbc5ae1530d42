import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Lexer, type Token, type Tokens } from 'marked';

/** The checkout: beside the sources, of which dist/ has compiled files only. */
export const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** The page that leads to all others of docs/. */
export const HOME = 'docs/README.md';

/** Pages outside of docs/ that have commands, beside those that HOME leads to. */
const ALSO = [
  'cli/README.md',
  'mcp/README.md',
  'clients/python/README.md',
  'simulated-phone/README.md',
  'panel/README.md',
];

/** A block of code in a page. */
export interface Block {
  page: string;
  /** The first word after the fence. Empty: there is none, or the block is indented. */
  language: string;
  /** Why a block of commands is not pasted. Undefined: it is. */
  reason: string | undefined;
  text: string;
}

export function readPage(page: string): string {
  return readFileSync(ROOT + page, 'utf8');
}

/** All pages: README.md first, then those that HOME leads to, in its order. */
export function allPages(): string[] {
  const linked = [...readPage(HOME).matchAll(/\]\(([^)#]+\.md)(?:#[^)]*)?\)/g)].map(([, target = '']) =>
    posix.normalize(posix.join('docs', target)),
  );
  return [...new Set(['README.md', HOME, ...linked, ...ALSO])];
}

/** The pages of docs/, without the decisions. */
export function pagesOfDocs(): string[] {
  return readdirSync(`${ROOT}docs`).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : []));
}

/** The blocks of a page, in its order, those in lists too. */
export function blocksOf(page: string): Block[] {
  return codeOf(Lexer.lex(readPage(page))).map(({ text, lang = '' }) => {
    const [, language = '', reason] = /^(\S*)(?: not-pasted: (.+))?/.exec(lang) ?? [];
    return { page, language, reason, text };
  });
}

function codeOf(tokens: readonly Token[]): Tokens.Code[] {
  return tokens.flatMap((token) => {
    if (token.type === 'code') return [token as Tokens.Code];
    if (token.type === 'list') return (token as Tokens.List).items.flatMap((item) => codeOf(item.tokens));
    const { tokens: inner = [] } = token as { tokens?: Token[] };
    return codeOf(inner);
  });
}
