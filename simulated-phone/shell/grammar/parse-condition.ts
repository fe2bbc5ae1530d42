import { ShellSyntaxError, type Condition, type Word } from './syntax-tree.js';
import type { TokenCursor } from './token-cursor.js';

export const BINARY_TESTS: ReadonlySet<string> = new Set([
  '=', '==', '!=', '<', '>', '-eq', '-ne', '-lt', '-le', '-gt', '-ge', '-nt', '-ot', '-ef',
]); // prettier-ignore
export const UNARY_TESTS = /^-[abcdefGghHkLnOoprSstuvwxz]$/;

const MAX_DEPTH = 100;

/** Parses what stands between `[[` and `]]`; it also reads the closing `]]`. Throws ShellSyntaxError. */
export function parseCondition(tokens: TokenCursor): Condition {
  let depth = 0;

  const plain = (): string | undefined => (tokens.token.type === 'word' ? tokens.token.plain : undefined);

  const operand = (): Word => {
    const { token } = tokens;
    if (token.type !== 'word' || token.plain === ']]') throw tokens.unexpected();
    tokens.advance();
    return token.word;
  };

  const primary = (): Condition => {
    tokens.skipNewlines();
    if (plain() === '!') {
      tokens.advance();
      return { kind: 'not', of: nested(primary) };
    }
    if (tokens.isOperator('(')) {
      tokens.advance();
      const inner = nested(or);
      if (!tokens.isOperator(')')) throw tokens.unexpected();
      tokens.advance();
      return inner;
    }
    const first = plain();
    const left = operand();
    if (first !== undefined && UNARY_TESTS.test(first)) return { kind: 'unary', operator: first, operand: operand() };
    const { token } = tokens;
    const operator = token.type === 'operator' ? token.operator : plain();
    if (operator !== undefined && BINARY_TESTS.has(operator)) {
      tokens.advance();
      return { kind: 'binary', operator, left, right: operand() };
    }
    return { kind: 'unary', operator: '-n', operand: left };
  };

  const and = (): Condition => {
    let left = primary();
    tokens.skipNewlines();
    while (tokens.isOperator('&&')) {
      tokens.advance();
      left = { kind: 'and', left, right: primary() };
      tokens.skipNewlines();
    }
    return left;
  };

  const or = (): Condition => {
    let left = and();
    while (tokens.isOperator('||')) {
      tokens.advance();
      left = { kind: 'or', left, right: and() };
    }
    return left;
  };

  const nested = (parse: () => Condition): Condition => {
    if (++depth > MAX_DEPTH) throw new ShellSyntaxError('nested too deeply');
    const condition = parse();
    depth--;
    return condition;
  };

  const condition = or();
  if (plain() !== ']]') throw tokens.unexpected();
  tokens.advance();
  return condition;
}
