import { type DescEnum, type DescField, type DescMessage, getOption, hasOption, ScalarType } from '@bufbuild/protobuf';
import { TimestampSchema } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../kit/errors/api-error.js';
import { valueOfWord, wordOf, wordsOf } from '../../kit/text/wire-words.js';
import { field as fieldRules } from '../../proto/gen/buf/validate/validate_pb.js';
import { noJsonForm } from '../../kit/json/encode.js';
import { type JsonValue, shorten } from './parse.js';
import { parseTimestamp } from '../../kit/json/timestamp.js';

/** Turns a JSON value into the value of a message's field. `at` is its place. Throws bad_request. */
export type ReadValue = (value: JsonValue, at: string) => unknown;

/** Returns a reader for one value of `field` (for lists: one item). Throws for a field without a JSON form. */
export function valueReader(field: DescField, messageReader: (schema: DescMessage) => ReadValue): ReadValue {
  // A secret's value is never repeated, not even to its sender, as error texts get into logs and tickets.
  const show = field.proto.options?.debugRedact === true ? () => 'the value' : shorten;
  if (field.enum !== undefined) return enumReader(field.enum, allowedWords(field, field.enum), show);
  if (field.fieldKind === 'map') throw noJsonForm(field);
  if (field.message !== undefined) {
    return field.message.typeName === TimestampSchema.typeName ? timestampReader(show) : messageReader(field.message);
  }
  switch (field.scalar) {
    case ScalarType.STRING:
      return readString;
    case ScalarType.BOOL:
      return (value, at) => (typeof value === 'boolean' ? value : wrongType(value, at, 'true or false'));
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return integerReader(-2_147_483_648, 2_147_483_647);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return integerReader(0, 4_294_967_295);
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return readNumber;
    case ScalarType.BYTES:
      return bytesReader(show);
    default:
      throw noJsonForm(field);
  }
}

/** Returns the kind of a JSON value, for error texts. */
export function kindOf(value: JsonValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  if (value instanceof Map) return 'an object';
  return typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
}

const readString: ReadValue = (value, at) => (typeof value === 'string' ? value : wrongType(value, at, 'a string'));

const readNumber: ReadValue = (value, at) => {
  if (typeof value !== 'number') wrongType(value, at, 'a number');
  if (!Number.isFinite(value)) throw new ApiError('bad_request', `${at}: the number is too large.`);
  return value;
};

function integerReader(least: number, most: number): ReadValue {
  return (value, at) => {
    if (typeof value !== 'number') wrongType(value, at, 'a whole number');
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw new ApiError('bad_request', `${at}: ${value} is not a whole number from ${least} to ${most}.`);
  };
}

function enumReader(desc: DescEnum, words: readonly string[], show: (text: string) => string): ReadValue {
  const values = new Map(words.map((word) => [word, valueOfWord(desc, word)]));
  return (value, at) => {
    if (typeof value !== 'string') wrongType(value, at, `one of ${words.join(', ')}`);
    const number = values.get(value);
    if (number !== undefined) return number;
    throw new ApiError('bad_request', `${at}: ${show(value)} is not one of ${words.join(', ')}.`);
  };
}

/** Returns the words of the enum, without those that the field's own rule refuses, so that no error text offers them. */
function allowedWords(field: DescField, desc: DescEnum): string[] {
  if (!hasOption(field, fieldRules)) return wordsOf(desc);
  const { type } = getOption(field, fieldRules);
  const refused = type.case === 'enum' ? type.value.notIn : [];
  return wordsOf(desc).filter((word) => !refused.some((number) => number !== 0 && wordOf(desc, number) === word));
}

function timestampReader(show: (text: string) => string): ReadValue {
  return (value, at) => {
    if (typeof value !== 'string') wrongType(value, at, 'a time as a string');
    const time = parseTimestamp(value);
    if (time !== undefined) return time;
    throw new ApiError('bad_request', `${at}: ${show(value)} is not an RFC 3339 time such as 2026-11-20T17:00:00Z.`);
  };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function bytesReader(show: (text: string) => string): ReadValue {
  return (value, at) => {
    if (typeof value !== 'string') wrongType(value, at, 'base64 text');
    if (!BASE64.test(value)) throw new ApiError('bad_request', `${at}: ${show(value)} is not base64.`);
    return new Uint8Array(Buffer.from(value, 'base64'));
  };
}

function wrongType(value: JsonValue, at: string, wanted: string): never {
  throw new ApiError('bad_request', `${at} must be ${wanted}, not ${kindOf(value)}.`);
}
