import { type DescField, type Message, ScalarType } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../kit/errors/api-error.js';
import type { JsonDecoders, SetField } from './decode.js';
import { type JsonValue, shorten } from './parse.js';

/** Sets fields of a request from a query string (without the question mark). Throws bad_request. */
export type QueryDecoder = (query: string, message: Message) => void;

/**
 * Creates a strict decoder for query strings whose parameters are `fields`. Each parameter is given once, or any number of times for a
 * repeated field. Names and values are percent-decoded, and `+` is a space. Throws for a field that a query cannot hold. With
 * `othersLeftOut`, other parameters are left out instead of refused.
 */
export function createQueryDecoder(
  fields: readonly DescField[],
  decoders: JsonDecoders,
  { othersLeftOut = false }: { othersLeftOut?: boolean } = {},
): QueryDecoder {
  const parameters = new Map(fields.map((field) => [field.name, parameter(field, decoders)]));
  const allowed = parameters.size === 0 ? 'this route takes none' : `allowed: ${[...parameters.keys()].join(', ')}`;
  return (query, message) => {
    if (query === '') return;
    const given = new Map<string, string[]>();
    for (const pair of query.split('&')) {
      if (pair === '') continue;
      const equals = pair.indexOf('=');
      const name = decodeQueryText(equals < 0 ? pair : pair.slice(0, equals));
      const value = equals < 0 ? '' : decodeQueryText(pair.slice(equals + 1));
      const values = given.get(name);
      if (values === undefined) given.set(name, [value]);
      else values.push(value);
    }
    for (const [name, values] of given) {
      const known = parameters.get(name);
      if (known === undefined) {
        if (othersLeftOut) continue;
        throw new ApiError('bad_request', `Unknown query parameter ${shorten(name)}; ${allowed}.`);
      }
      known(message, values);
    }
  };
}

type SetParameter = (message: Message, values: readonly string[]) => void;

function parameter(field: DescField, decoders: JsonDecoders): SetParameter {
  const set = textSetter(field, decoders);
  if (field.fieldKind === 'list') return (message, values) => set(message, values, field.name);
  return (message, values) => {
    if (values.length > 1)
      throw new ApiError('bad_request', `${field.name} is given ${values.length} times; once is allowed.`);
    set(message, values[0] ?? '', field.name);
  };
}

/** Returns a function that sets one field from the text in a path or a query. A list is set from all its texts. */
export function textSetter(
  field: DescField,
  decoders: JsonDecoders,
): (message: Message, text: string | readonly string[], at: string) => void {
  const set: SetField = decoders.setterFor(field);
  const toJson = textReader(field);
  return (message, text, at) =>
    set(message, typeof text === 'string' ? toJson(text, at) : text.map((item) => toJson(item, at)), at);
}

/** Returns a function that converts a text to the JSON value that it represents, so that bodies and queries follow the same rules. */
function textReader(field: DescField): (text: string, at: string) => JsonValue {
  if (field.message !== undefined && field.message.typeName !== TimestampSchema.typeName) {
    throw new Error(`${field.toString()}: a message cannot be in a path or a query`);
  }
  if (field.scalar === undefined || field.scalar === ScalarType.STRING || field.scalar === ScalarType.BYTES) {
    return (text) => text;
  }
  if (field.scalar === ScalarType.BOOL) {
    return (text, at) => {
      if (text === 'true' || text === 'false') return text === 'true';
      throw new ApiError('bad_request', `${at}: ${shorten(text)} is neither true nor false.`);
    };
  }
  const fractional = field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT;
  const [pattern, wanted] = fractional ? [NUMBER, 'number'] : [WHOLE_NUMBER, 'whole number'];
  return (text, at) => {
    if (pattern.test(text)) return Number(text);
    throw new ApiError('bad_request', `${at}: ${shorten(text)} is not a ${wanted}.`);
  };
}

const WHOLE_NUMBER = /^-?(?:0|[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

function decodeQueryText(text: string): string {
  return decodePercent(text.includes('+') ? text.replaceAll('+', ' ') : text, 'the query');
}

/** Decodes percent-escapes. Throws bad_request when an escape is malformed or the result is not UTF-8. */
export function decodePercent(text: string, where: string): string {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    throw new ApiError(
      'bad_request',
      `${shorten(text)} in ${where} has a % that does not begin valid UTF-8 (like %C3%A9).`,
    );
  }
}
