import {
  type DescField,
  type DescEnum,
  type DescMessage,
  getOption,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence, StructSchema, type Timestamp, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { wordOf } from '../text/wire-words.js';
import {
  LoginCookieSchema,
  omit_empty,
  route,
  SessionCookieSchema,
} from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { LABEL, labelFieldOf, listOfLabel } from './or-label.js';
import { formatTimestamp } from './timestamp.js';

/** Writes messages of one type as JSON text. */
export type JsonEncoder = (message: Message) => string;

type Fields = Record<string, unknown>;

/**
 * Makes encoders for message types: snake_case names, lower-case enum words, RFC 3339 times, base64 bytes. Fields without presence are
 * always written, zero or not. Encoders leave out absent optionals, unset members of a oneof, enum values without a word, and fields that a
 * request has in its path. They also leave out empty texts and lists of messages with the option `omit_empty`.
 *
 * A type's fields are read once, when its encoder is made; encoding then only joins text. Making an encoder throws for a field that has no
 * JSON form here (64-bit integers), because such a contract must not start.
 */
export function createJsonEncoders(): (schema: DescMessage) => JsonEncoder {
  const made = new Map<string, JsonEncoder>();
  const encoderFor = (schema: DescMessage): JsonEncoder => {
    const known = made.get(schema.typeName);
    if (known !== undefined) return known;
    if (schema.typeName === TimestampSchema.typeName) {
      return (message) => `"${formatTimestamp(message as Timestamp)}"`;
    }
    const writers: FieldWriter[] = [];
    const encoder: JsonEncoder = (message) => {
      let json = '{';
      for (const write of writers) {
        const text = write(message);
        if (text !== undefined) json += json.length === 1 ? text : `,${text}`;
      }
      return `${json}}`;
    };
    // The encoder is stored before the type's fields are read, so that a type may contain itself.
    made.set(schema.typeName, encoder);
    const shown = schema.fields.filter(
      (field) => !isCookie(field) && !isInPath(field) && listOfLabel(field) === undefined,
    );
    const omitsEmpty = getOption(schema, omit_empty);
    writers.push(
      ...shown.map((field) => {
        const write = orLabelWriter(field, fieldWriter(field, encoderFor));
        return omitsEmpty && mayBeEmpty(field) ? unlessEmpty(field, write) : write;
      }),
    );
    return encoder;
  };
  return encoderFor;
}

/**
 * Returns whether the field is the device's name in a request that has this name in its path. Such a request may be part of another message
 * (a step of a schedule). There it has no name of its own.
 */
function isInPath({ name, parent }: DescField): boolean {
  return parent.file.services
    .flatMap(({ methods }) => methods)
    .some((rpc) => rpc.input.typeName === parent.typeName && getOption(rpc, route).deviceField === name);
}

/** Whether a message with the option `omit_empty` leaves the field out of its JSON at times. */
export function mayBeEmpty(field: DescField): boolean {
  const implicit = field.oneof === undefined && field.presence === FeatureSet_FieldPresence.IMPLICIT;
  return field.fieldKind === 'list' || (implicit && field.scalar === ScalarType.STRING);
}

function unlessEmpty({ localName }: DescField, write: FieldWriter): FieldWriter {
  return (message) => ((fieldsOf(message)[localName] as string | unknown[]).length === 0 ? undefined : write(message));
}

/** `"name":value`, or undefined when the field is left out. */
type FieldWriter = (message: Message) => string | undefined;

/** The JSON text of a value; undefined when it is left out. */
type ValueWriter = (value: unknown) => string | undefined;

/** Returns the writer of a list of devices that may be an object with a label; that of any other field is `write` itself. */
function orLabelWriter(field: DescField, write: FieldWriter): FieldWriter {
  const label = labelFieldOf(field);
  if (label === undefined) return write;
  return (message) => {
    const text = fieldsOf(message)[label.localName];
    if (text === undefined) return write(message);
    return `${JSON.stringify(field.name)}:${JSON.stringify({ [LABEL]: text })}`;
  };
}

function fieldWriter(field: DescField, encoderFor: (schema: DescMessage) => JsonEncoder): FieldWriter {
  const { localName, oneof } = field;
  const prefix = `${JSON.stringify(field.name)}:`;
  const write = valueWriter(field, encoderFor);
  if (field.fieldKind === 'list') {
    return (message) => {
      let json = '';
      for (const item of fieldsOf(message)[localName] as readonly unknown[]) {
        const text = write(item);
        if (text !== undefined) json += json === '' ? text : `,${text}`;
      }
      return `${prefix}[${json}]`;
    };
  }
  if (field.fieldKind === 'map') {
    return (message) => {
      const entries = Object.entries(fieldsOf(message)[localName] as Fields);
      return `${prefix}{${entries.map(([key, value]) => `${JSON.stringify(key)}:${write(value) ?? 'null'}`).join(',')}}`;
    };
  }
  if (oneof !== undefined) {
    return (message) => {
      const chosen = fieldsOf(message)[oneof.localName] as { case?: string; value?: unknown };
      if (chosen.case !== localName) return undefined;
      const text = write(chosen.value);
      return text === undefined ? undefined : prefix + text;
    };
  }
  const optional = field.presence !== FeatureSet_FieldPresence.IMPLICIT;
  return (message) => {
    const value = fieldsOf(message)[localName];
    if (optional && value === undefined) return undefined;
    const text = write(value);
    return text === undefined ? undefined : prefix + text;
  };
}

/** A message as a record of its properties; the names are those of its descriptor. */
export function fieldsOf(message: Message): Fields {
  return message;
}

function valueWriter(field: DescField, encoderFor: (schema: DescMessage) => JsonEncoder): ValueWriter {
  if (field.enum !== undefined) return enumWriter(field.enum);
  // A field of this type holds plain JSON.
  if (field.message?.typeName === StructSchema.typeName) return JSON.stringify;
  if (field.message !== undefined) return encoderFor(field.message) as ValueWriter;
  switch (field.scalar) {
    case ScalarType.STRING:
      return JSON.stringify;
    case ScalarType.BOOL:
    case ScalarType.INT32:
    case ScalarType.UINT32:
    case ScalarType.SINT32:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return String;
    case ScalarType.FLOAT:
    case ScalarType.DOUBLE:
      return (value) => {
        if (!Number.isFinite(value))
          throw new Error(`${String(field)} is ${String(value)}, which JSON cannot represent`);
        return String(value);
      };
    case ScalarType.BYTES:
      return (value) => {
        const { buffer, byteOffset, byteLength } = value as Uint8Array;
        return `"${Buffer.from(buffer, byteOffset, byteLength).toString('base64')}"`;
      };
    default:
      throw noJsonForm(field);
  }
}

function enumWriter(desc: DescEnum): ValueWriter {
  // A value that only a newer service knows is left out, like a value that is not set.
  const words = new Map(
    desc.values
      .filter(({ number }) => number !== 0)
      .map(({ number }) => [number, JSON.stringify(wordOf(desc, number))]),
  );
  return (value) => words.get(value as number);
}

/** Returns the error of a contract that cannot be served over REST; thrown when the gateway starts, not at a request. */
export function noJsonForm(field: DescField): Error {
  return new Error(`${String(field)}: 64-bit integers, and maps in requests, have no JSON form`);
}

/** Whether a field is a cookie: a header of the response, whose token must never be in a body. */
export function isCookie({ message }: DescField): boolean {
  return message?.typeName === SessionCookieSchema.typeName || message?.typeName === LoginCookieSchema.typeName;
}
