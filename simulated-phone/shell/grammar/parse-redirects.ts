import type { Token } from './scanner.js';
import type { Redirect } from './syntax-tree.js';
import type { TokenCursor } from './token-cursor.js';

const REDIRECTS = new Set(['<', '>', '>>', '>&', '<&', '>|', '<<', '<<-', '<<<', '<>', '&>', '&>>']);

export function isRedirect(token: Token): boolean {
  return token.type === 'operator' && REDIRECTS.has(token.operator);
}

/** Parses the redirects at the present place, as those after a `done`. */
export function parseRedirects(tokens: TokenCursor): Redirect[] {
  const redirects: Redirect[] = [];
  while (isRedirect(tokens.token)) redirects.push(...parseRedirect(tokens));
  return redirects;
}

/** Parses the redirect at the present place. `&>` and `&>>` become two redirects. */
export function parseRedirect(tokens: TokenCursor): Redirect[] {
  const token = tokens.token;
  if (token.type !== 'operator') throw tokens.unexpected();
  tokens.advance();
  const target = tokens.anyWord(false);
  const { operator } = token;
  const descriptor = token.descriptor ?? (operator.startsWith('<') ? 0 : 1);
  if (operator === '<<' || operator === '<<-') {
    const document: Redirect = { descriptor, operator: '<<', target: [] };
    tokens.scanner.expectHereDocument(target, operator === '<<-', (body) => (document.target = body));
    tokens.advance();
    return [document];
  }
  tokens.advance();
  if (operator === '&>' || operator === '&>>')
    return [
      { descriptor: 1, operator: operator === '&>' ? '>' : '>>', target },
      { descriptor: 2, operator: '>&', target: [{ type: 'text', text: '1', quoted: false }] },
    ];
  return [{ descriptor, operator: operator as Redirect['operator'], target }];
}
