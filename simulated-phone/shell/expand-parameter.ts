import { ExpansionFailure, boundedText } from './expansion-failure.js';
import { cutGlob, replaceGlob } from './glob.js';
import type { ParameterPart, Word } from './grammar/syntax-tree.js';
import { quotedForShell } from './quoted-for-shell.js';
import type { ShellState } from './shell-state.js';

/** The functions that expand the texts inside a parameter's brackets. */
export interface InnerExpansion {
  state: ShellState;
  toText: (word: Word) => Promise<string>;
  toPattern: (word: Word) => Promise<string>;
}

/** The expansion of a parameter: texts, or the word that stands for it. `all`: in quotes, each text becomes a field of its own. */
export type ExpandedParameter =
  { kind: 'texts'; texts: readonly string[]; all: boolean } | { kind: 'word'; word: Word };

/** Expands `$name` or `${...}`. Throws ExpansionFailure. */
export async function expandParameter(part: ParameterPart, inner: InnerExpansion): Promise<ExpandedParameter> {
  const { state } = inner;
  const { name, operation } = part;
  const one = (text: string): ExpandedParameter => ({ kind: 'texts', texts: [text], all: false });
  const list = listKind(part);
  if (list) {
    const texts = state.elements(name);
    if (operation?.kind === 'length')
      return one(String(name === '@' || name === '*' ? texts.length : countOf(state, name)));
    if (operation?.kind === 'name') {
      const indexes = name === 'PIPESTATUS' ? texts.map((_, at) => at) : state.variables.indexes(name);
      return { kind: 'texts', texts: indexes.map(String), all: list === '@' };
    }
    if (operation?.kind === 'default') return expandDefault(part, operation, texts.length > 0, inner);
    return asList(texts, list, state);
  }
  if (operation?.kind === 'name') return one(state.variables.resolved(name));
  const index = part.subscript === undefined ? undefined : indexOf(state, await inner.toText(part.subscript as Word));
  const value = index === undefined ? state.variable(name) : (state.element(name, index) ?? '');
  const isSet = index === undefined ? state.isSet(name) : state.element(name, index) !== undefined;
  if (operation?.kind === 'default')
    return expandDefault(part, operation, operation.colon ? value !== '' : isSet, inner);
  if (!isSet && state.options.has('nounset') && /^\w+$/.test(name))
    throw new ExpansionFailure(`${name}: parameter not set`);
  switch (operation?.kind) {
    case undefined:
      return one(value);
    case 'length':
    case 'width':
      return one(String(Array.from(value).length));
    case 'quote':
      return one(quotedForShell(value));
    case 'cut':
      return one(cutGlob(value, await inner.toPattern(operation.pattern), operation.which));
    case 'replace':
      return one(boundedText(replaceGlob(value, await inner.toPattern(operation.pattern), operation.which, await inner.toText(operation.by)))); // prettier-ignore
    case 'slice': {
      const offset = state.evaluate(await inner.toText(operation.offset));
      const length = operation.length && state.evaluate(await inner.toText(operation.length));
      return one(slice(value, offset, length));
    }
  }
}

function listKind({ name, subscript }: ParameterPart): '@' | '*' | undefined {
  if (name === '@' || name === '*') return name;
  return subscript === '@' || subscript === '*' ? subscript : undefined;
}

function countOf(state: ShellState, name: string): number {
  return name === 'PIPESTATUS' ? state.pipeStatuses.length : state.variables.count(name);
}

/**
 * Returns a list as texts. `@` keeps the texts apart, and `*` joins them into one. Without quotes, the joined text is split into fields
 * later.
 */
function asList(texts: readonly string[], list: '@' | '*', state: ShellState): ExpandedParameter {
  if (list === '@') return { kind: 'texts', texts, all: true };
  return { kind: 'texts', texts: [boundedText(texts.join(state.separators.slice(0, 1)))], all: false };
}

async function expandDefault(
  part: ParameterPart,
  operation: { sign: '-' | '=' | '+' | '?'; word: Word },
  isThere: boolean,
  inner: InnerExpansion,
): Promise<ExpandedParameter> {
  const { state } = inner;
  const { sign, word } = operation;
  const { type, name, quoted, subscript } = part;
  const plain: ParameterPart = { type, name, quoted, ...(subscript !== undefined && { subscript }) };
  if (sign === '+') return isThere ? { kind: 'word', word } : { kind: 'texts', texts: [], all: true };
  if (isThere) return expandParameter(plain, inner);
  if (sign === '-') return { kind: 'word', word };
  const text = await inner.toText(word);
  if (sign === '?') throw new ExpansionFailure(`${part.name}: ${text || 'parameter null or not set'}`);
  if (!/^[A-Za-z_]/.test(part.name) || listKind(part)) throw new ExpansionFailure(`${part.name}: cannot assign`);
  const index = part.subscript === undefined ? undefined : indexOf(state, await inner.toText(part.subscript as Word));
  state.assign(part.name, index, text);
  return { kind: 'texts', texts: [text], all: false };
}

/** Returns characters from `offset` on; a negative offset counts from the end. A negative length means all the rest. */
function slice(value: string, offset: number, length: number | undefined): string {
  const chars = Array.from(value);
  const start = offset < 0 ? chars.length + offset : offset;
  if (start < 0 || start > chars.length) return '';
  return chars.slice(start, length === undefined || length < 0 ? undefined : start + length).join('');
}

/** Returns the value of an expression as an element's index, an unsigned number of 32 bits. Throws ArithmeticError. */
export function indexOf(state: ShellState, expression: string): number {
  return state.evaluate(expression) >>> 0;
}
