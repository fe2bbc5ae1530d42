import jsonc, { type ParseErrorCode } from 'jsonc-parser';
import { ApiError } from '../../kit/errors/api-error.js';

export type JsonValue = string | number | boolean | null | JsonValue[] | JsonObject;

/** An object is a Map, so that no key (`__proto__`, `constructor`) has a special meaning, and repeated keys are noticed. */
export type JsonObject = Map<string, JsonValue>;

/**
 * The deepest nesting. It is deeper than any message of ours, and shallow enough for the stack, as the parser calls itself for each
 * level.
 */
const MAX_DEPTH = 33;

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Reasons by jsonc-parser's ParseErrorCode, an enum that exists only in its types. */
const REASONS: Record<ParseErrorCode, string> = {
  1: 'unexpected characters',
  2: 'the number is not valid',
  3: 'expected a name in double quotes',
  4: 'expected a value',
  5: 'expected ":"',
  6: 'expected "," or the closing bracket',
  7: 'expected "}"',
  8: 'expected "]"',
  9: 'nothing may follow the value',
  10: 'comments are not allowed',
  11: 'comments are not allowed',
  12: 'the string has no end',
  13: 'the number is incomplete',
  14: 'the string has an escape that is not valid',
  15: 'the string has an escape that is not valid',
  16: 'a control character must be written as an escape',
};

/**
 * Parses one JSON value (RFC 8259). JSON.parse would keep the last of two equal names silently, and reports positions only sometimes;
 * both matter to people who write requests by hand.
 *
 * Throws bad_request with line and column for syntax errors, repeated names, nesting deeper than 33 levels and lone surrogates.
 */
export function parseJson(text: string): JsonValue {
  let root: JsonValue = null;
  /** Containers that are open, the innermost last. `name` is the name of the next value in the container. */
  const open: { container: JsonObject | JsonValue[]; name: string }[] = [];
  const add = (value: JsonValue): void => {
    const inner = open.at(-1);
    if (inner === undefined) root = value;
    else if (Array.isArray(inner.container)) inner.container.push(value);
    else inner.container.set(inner.name, value);
  };
  const begin = (container: JsonObject | JsonValue[], line: number, character: number): void => {
    if (open.length === MAX_DEPTH) fail(`nested deeper than ${MAX_DEPTH} levels`, line, character);
    add(container);
    open.push({ container, name: '' });
  };
  const end = (): void => void open.pop();
  const assertWhole = (value: unknown, line: number, character: number): void => {
    if (typeof value === 'string' && LONE_SURROGATE.test(value)) fail(REASONS[14], line, character);
  };
  jsonc.visit(
    text,
    {
      onObjectBegin: (_offset, _length, line, character) => begin(new Map<string, JsonValue>(), line, character),
      onObjectProperty: (name, _offset, _length, line, character) => {
        assertWhole(name, line, character);
        const inner = open.at(-1);
        if (!(inner?.container instanceof Map)) return;
        if (inner.container.has(name)) fail(`the name ${shorten(name)} is given twice`, line, character);
        inner.name = name;
      },
      onObjectEnd: end,
      onArrayBegin: (_offset, _length, line, character) => begin([], line, character),
      onArrayEnd: end,
      onLiteralValue: (value: JsonValue, _offset, _length, line, character) => {
        assertWhole(value, line, character);
        add(value);
      },
      // The first error ends the parsing, so the parser's recovery has no effect.
      onError: (code, offset, _length, line, character) =>
        fail(offset >= text.length ? 'it ends too early' : REASONS[code], line, character),
    },
    { disallowComments: true },
  );
  return root;
}

function fail(reason: string, line: number, character: number): never {
  throw new ApiError(
    'bad_request',
    `The body is not valid JSON: ${reason}, at line ${line + 1}, column ${character + 1}.`,
  );
}

/** How many characters of a caller's own text are repeated to the caller. */
const SHOWN_CHARACTERS = 60;

/** Returns a caller's text for an error text; it is quoted, and cut when it is long. */
export function shorten(text: string): string {
  return JSON.stringify(text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text);
}
