import { evaluateArithmetic } from './arithmetic.js';
import { cutGlob, expandGlob, globEscape, globOf, globUnescape, isGlob, type Glob } from './glob.js';
import type { Node, Word, WordPart } from './grammar/syntax-tree.js';
import type { ShellState } from './shell-state.js';

/** The shell, as expansion uses it. */
export interface ExpansionHost {
  state: ShellState;
  /** Output of `$(...)`, as it came. */
  substitute(body: Node): Promise<string>;
  listFolder(path: string): Promise<readonly string[]>;
}

/** Expands one written word into words: variables and substitutions inserted, split at blanks, patterns matched to files. */
export async function expandWord(word: Word, host: ExpansionHost): Promise<string[]> {
  const fields: string[] = [];
  // The field being built, as a pattern in which quoted characters are escaped. Undefined: nothing begun.
  let field: string | undefined;
  for (const part of word) {
    if (part.type === 'variable' && part.quoted && part.name === '@' && part.operator === undefined) {
      if (fields.length + host.state.positional.length > MAX_FIELDS)
        throw new ExpansionFailure('argument list too long');
      host.state.positional.forEach((argument, index) => {
        if (index > 0 && field !== undefined) {
          fields.push(field);
          field = '';
        }
        field = (field ?? '') + globEscape(argument);
      });
      continue;
    }
    const text = await expandPart(part, host);
    bounded((field ?? '') + text);
    if (part.quoted) field = (field ?? '') + globEscape(text);
    else if (part.type === 'text') field = (field ?? '') + tilde(text, part === word[0]);
    else {
      const pieces = text.split(/[ \t\n]+/);
      pieces.forEach((piece, index) => {
        if (index > 0 && field !== undefined) {
          fields.push(field);
          field = undefined;
        }
        if (piece !== '') field = (field ?? '') + piece;
      });
    }
  }
  if (field !== undefined) fields.push(field);

  const expanded: string[] = [];
  for (const pattern of fields) {
    const matches = isGlob(pattern) ? await expandGlob(pattern, host.state.cwd, (path) => host.listFolder(path)) : [];
    if (matches.length > 0) for (const match of matches) expanded.push(match);
    else expanded.push(globUnescape(pattern));
  }
  return expanded;
}

/** As one word, neither split nor matched: the right side of an assignment, a redirect's file, a here-document. */
export async function expandToText(word: Word, host: ExpansionHost): Promise<string> {
  let text = '';
  for (const part of word) text = bounded(text + (await expandPart(part, host)));
  return text;
}

const MAX_FIELDS = 250_000;
const MAX_WORD_CHARS = 4 * 1024 * 1024;

/** Limits a text: a loop of `X=$X$X` must not use up the memory of all phones. */
function bounded(text: string): string {
  if (text.length > MAX_WORD_CHARS) throw new ExpansionFailure('argument too long');
  return text;
}

/** As a pattern for `case`: quoted parts are taken literally. */
export async function expandToPattern(word: Word, host: ExpansionHost): Promise<Glob> {
  let pattern = '';
  for (const part of word) {
    const text = await expandPart(part, host);
    pattern += part.quoted ? globEscape(text) : text;
  }
  return globOf(pattern);
}

async function expandPart(part: WordPart, host: ExpansionHost): Promise<string> {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'substitution':
      return (await host.substitute(part.body)).replace(/\n+$/, '');
    case 'arithmetic':
      return String(
        evaluateArithmetic(await expandToText(part.expression, host), {
          get: (name) => host.state.variable(name),
          set: (name, value) => host.state.variables.set(name, value),
        }),
      );
    case 'variable':
      return expandVariable(part, host);
  }
}

async function expandVariable(part: WordPart & { type: 'variable' }, host: ExpansionHost): Promise<string> {
  const { name, operator } = part;
  const { state } = host;
  const value = state.variable(name);
  const argument = async (): Promise<string> => expandToText(part.argument ?? [], host);
  const isMissing = operator?.startsWith(':') === true ? value === '' : !state.isSet(name);
  switch (operator) {
    case undefined:
      if (state.options.has('nounset') && /^\w+$/.test(name) && !state.isSet(name))
        throw new ExpansionFailure(`${name}: parameter not set`);
      return value;
    case '#':
      return part.argument ? cutGlob(value, await argument(), '#') : String(Array.from(value).length);
    case '##':
      return cutGlob(value, await argument(), '##');
    case '%':
      return cutGlob(value, await argument(), '%');
    case '%%':
      return cutGlob(value, await argument(), '%%');
    case '-':
    case ':-':
      return isMissing ? argument() : value;
    case '+':
    case ':+':
      return isMissing ? '' : argument();
    case '=':
    case ':=':
      if (isMissing) state.variables.set(name, await argument());
      return state.variable(name);
    default:
      if (isMissing) throw new ExpansionFailure(`${name}: ${(await argument()) || 'parameter not set'}`);
      return value;
  }
}

/** `${NAME:?text}` of a missing variable, or after `set -u` any other use of one. */
export class ExpansionFailure extends Error {
  override name = 'ExpansionFailure';
}

/** The shell's home is `/`. */
function tilde(text: string, isFirst: boolean): string {
  return isFirst && (text === '~' || text.startsWith('~/')) ? text.slice(1) || '/' : text;
}
