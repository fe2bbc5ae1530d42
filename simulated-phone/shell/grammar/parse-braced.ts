import { ShellSyntaxError, type ParameterOperation, type ParameterPart, type Word } from './syntax-tree.js';

/** The parts of a scanner that the parser of parameters uses. */
interface BracedText {
  readonly text: string;
  at: number;
  parts(until: { stop: string; inQuotes: boolean }): Word;
  /** Returns a scanner of a part of this text. */
  inner(text: string): { quotedParts(close: undefined): Word };
}

/** Parses `${...}` from the place after its first bracket. Throws ShellSyntaxError for a text that is no parameter of this shell. */
export function parseBraced(scanner: BracedText, quoted: boolean): ParameterPart {
  const rest = scanner.text.slice(scanner.at, scanner.at + MAX_NAME_CHARS);
  // `${#}` and `${#-x}` are the number of arguments; `${#x}` and `${#?}` are lengths.
  const prefix = /^[#%!](?=[A-Za-z_0-9@*?$!#-]+[}[])/.exec(rest)?.[0] ?? '';
  const name = /^(?:[A-Za-z_]\w*|\d+|[?#$!@*-])/.exec(rest.slice(prefix.length))?.[0];
  if (name === undefined) throw badSubstitution();
  scanner.at += prefix.length + name.length;
  const subscript = /^[A-Za-z_]/.test(name) ? readSubscript(scanner) : undefined;
  const operation = prefix === '' ? readOperation(scanner, quoted) : PREFIXES[prefix];
  if (scanner.text[scanner.at] === undefined)
    throw new ShellSyntaxError("syntax error: missing '}'", { incomplete: true });
  if (scanner.text[scanner.at] !== '}') throw badSubstitution();
  scanner.at++;
  const isList = subscript === '@' || subscript === '*' || name === '@' || name === '*';
  if (isList && operation && !['length', 'name', 'default'].includes(operation.kind)) throw badSubstitution();
  return {
    type: 'parameter',
    name,
    quoted,
    ...(subscript !== undefined && { subscript }),
    ...(operation && { operation }),
  };
}

const MAX_NAME_CHARS = 256;
const PREFIXES: Readonly<Record<string, ParameterOperation>> = {
  '#': { kind: 'length' },
  '%': { kind: 'width' },
  '!': { kind: 'name' },
};

function readSubscript(scanner: BracedText): Word | '@' | '*' | undefined {
  if (scanner.text[scanner.at] !== '[') return undefined;
  const list = /^\[([@*])\]/.exec(scanner.text.slice(scanner.at, scanner.at + 3))?.[1];
  if (list === '@' || list === '*') {
    scanner.at += 3;
    return list;
  }
  let depth = 0;
  for (let end = scanner.at; end < Math.min(scanner.text.length, scanner.at + MAX_SUBSCRIPT_CHARS); end++) {
    const char = scanner.text[end];
    if (char === '[') depth++;
    if (char !== ']' || --depth > 0) continue;
    const inner = scanner.text.slice(scanner.at + 1, end);
    scanner.at = end + 1;
    if (inner.trim() === '') throw badSubstitution();
    return scanner.inner(inner).quotedParts(undefined);
  }
  throw badSubstitution();
}

const MAX_SUBSCRIPT_CHARS = 4_096;

function readOperation(scanner: BracedText, quoted: boolean): ParameterOperation | undefined {
  const rest = scanner.text.slice(scanner.at, scanner.at + 2);
  const take = (chars: number): void => void (scanner.at += chars);
  const sign = /^:?([-=+?])/.exec(rest);
  if (sign) {
    take(sign[0].length);
    const word = scanner.parts({ stop: '}', inQuotes: quoted });
    return { kind: 'default', sign: sign[1] as '-' | '=' | '+' | '?', colon: sign[0].length === 2, word };
  }
  const cut = /^(?:##?|%%?)/.exec(rest)?.[0];
  if (cut !== undefined) {
    take(cut.length);
    return {
      kind: 'cut',
      which: cut as '#' | '##' | '%' | '%%',
      pattern: scanner.parts({ stop: '}', inQuotes: false }),
    };
  }
  if (rest.startsWith('/')) return readReplacement(scanner, quoted);
  if (rest.startsWith(':')) {
    take(1);
    const offset = scanner.parts({ stop: ':}', inQuotes: true });
    if (scanner.text[scanner.at] !== ':') {
      if (offset.length === 0) throw badSubstitution();
      return { kind: 'slice', offset };
    }
    take(1);
    return { kind: 'slice', offset, length: scanner.parts({ stop: ':}', inQuotes: true }) };
  }
  if (rest === '@Q') {
    take(2);
    return { kind: 'quote' };
  }
  return undefined;
}

function readReplacement(scanner: BracedText, quoted: boolean): ParameterOperation {
  scanner.at++;
  const flag = scanner.text[scanner.at] ?? '';
  const which = flag === '/' ? 'all' : flag === '#' ? 'start' : flag === '%' ? 'end' : 'first';
  if (which !== 'first') scanner.at++;
  const pattern = scanner.parts({ stop: '/}', inQuotes: false });
  if (scanner.text[scanner.at] !== '/') return { kind: 'replace', which, pattern, by: [] };
  scanner.at++;
  return { kind: 'replace', which, pattern, by: scanner.parts({ stop: '}', inQuotes: quoted }) };
}

function badSubstitution(): ShellSyntaxError {
  return new ShellSyntaxError('bad substitution');
}
