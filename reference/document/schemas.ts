import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence, StructSchema, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { wordOf } from '../../kit/text/wire-words.js';
import { message as messageOption, oneof as oneofOption } from '../../proto/gen/buf/validate/validate_pb.js';
import { omit_empty, RawBodySchema } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { LABEL, labelFieldOf, listOfLabel } from '../../kit/json/or-label.js';
import { isCookie, mayBeEmpty, noJsonForm } from '../../kit/json/encode.js';
import { commentOf } from './contract-text.js';
import type { Json } from './json.js';
import { isRequired, keywordsOf, refusedNumbers, statedRules } from './rules.js';

/** A request may leave out fields that have a default; a response has every field. */
export type Direction = 'request' | 'response';

/**
 * Makes JSON Schemas of messages and enums, each once, under `components/schemas`. A message that both requests and responses have gets two
 * schemas; the one for requests is called `<name>Input`. `<operation>Request` is renamed to `<operation>Body`, and `<operation>Response` to
 * `<operation>Result`, as generators make types with the old names.
 */
export class Schemas {
  readonly #components = new Map<string, Json>();
  readonly #typesByName = new Map<string, string>();
  readonly #inResponses: ReadonlySet<string>;
  readonly #elsewhere: ReadonlyMap<string, ReadonlySet<string>>;

  /**
   * @param responses the messages of all responses, to know which are shared
   * @param elsewhere fields of requests that are in the path or in headers, by message type; no body has them
   */
  constructor(responses: readonly DescMessage[], elsewhere: ReadonlyMap<string, ReadonlySet<string>>) {
    this.#inResponses = reachableFrom(responses);
    this.#elsewhere = elsewhere;
  }

  /** All schemas so far, by name. */
  get components(): Json {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A reference to the schema of a message. */
  refTo(message: DescMessage, direction: Direction): Json {
    const isSecond = direction === 'request' && this.#inResponses.has(message.typeName);
    const own = message.name.replace(/Request$/, 'Body').replace(/Response$/, 'Result');
    const name = own + (isSecond ? 'Input' : '');
    return this.#named(name, `${direction} ${message.typeName}`, () => this.#objectOf(message, direction));
  }

  /**
   * Returns the schema of a value in a request. A list of allowed words becomes a component with the field's name. Generators would lose
   * the list if it stood in a field of an object with alternatives.
   */
  #limited(field: DescField, item: Json): Json {
    const value = { ...this.#valueOf(field, 'request'), ...item };
    if (item['enum'] === undefined) return value;
    const name = field.name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
    return this.#named(name, `the list ${JSON.stringify(item['enum'])}`, () => value);
  }

  /** Returns a reference to the component `name`, which `make` makes at its first use. */
  #named(name: string, type: string, make: () => Json): Json {
    const known = this.#typesByName.get(name);
    if (known !== undefined && known !== type)
      throw new Error(`${known} and ${type} have the same name in the reference`);
    if (known === undefined) {
      this.#typesByName.set(name, type);
      this.#components.set(name, make());
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /** The schema of one field, with its limits. */
  schemaOf(field: DescField, direction: Direction): Json {
    const { item, list } = keywordsOf(field);
    const value = direction === 'request' ? this.#limited(field, item) : this.#valueOf(field, direction);
    const description = [commentOf(field), ...statedRules(field).map((rule) => `Its value ${rule}.`)].join(' ');
    if (field.fieldKind === 'list') {
      const array: Json = { type: 'array', ...(direction === 'request' && list), items: value };
      const label = labelFieldOf(field);
      if (label === undefined) return { ...array, description };
      // Generators make a set of a list of unique texts, and then fail to give it one of the two types.
      delete array['uniqueItems'];
      return { description, oneOf: [array, this.#orLabel(label)] };
    }
    if (field.fieldKind === 'map') {
      return { type: 'object', description, ...(direction === 'request' && list), additionalProperties: value };
    }
    return { ...value, description };
  }

  /** The object that may stand in place of a list of devices. */
  #orLabel(label: DescField): Json {
    return this.#named('DevicesWithLabel', 'devices with a label', () => ({
      type: 'object',
      description: 'The devices that have a label, at any time.',
      properties: { [LABEL]: { type: 'string', ...keywordsOf(label).item, description: 'The label, as `team=qa`.' } },
      required: [LABEL],
      additionalProperties: false,
    }));
  }

  #objectOf(message: DescMessage, direction: Direction): Json {
    // These fields are left out of responses too, where a response contains a request, as a schedule contains steps.
    const elsewhere = this.#elsewhere.get(message.typeName);
    const fields = message.fields.filter((field) => elsewhere?.has(field.name) !== true && isInJson(field));
    const required = fields.filter((field) => (direction === 'request' ? isRequired(field) : isAlwaysThere(field)));
    const stated = hasOption(message, messageOption)
      ? getOption(message, messageOption).cel.map(({ message: text }) => `It ${text}.`)
      : [];
    const choices = message.oneofs
      .filter(
        (oneof) => direction === 'request' && hasOption(oneof, oneofOption) && getOption(oneof, oneofOption).required,
      )
      .map((oneof) => oneof.fields.map(({ name }) => ({ required: [name] })));
    return {
      type: 'object',
      description: [commentOf(message), ...stated].filter((text) => text !== '').join(' '),
      properties: Object.fromEntries(fields.map((field) => [field.name, this.schemaOf(field, direction)])),
      ...(required.length > 0 && { required: required.map(({ name }) => name) }),
      ...(choices.length > 0 && { oneOf: choices.flat() }),
      ...(direction === 'request' && { additionalProperties: false }),
    };
  }

  #valueOf(field: DescField, direction: Direction): Json {
    if (field.enum !== undefined) {
      const desc = field.enum;
      const refused = refusedNumbers(field);
      const words = desc.values.filter(({ number }) => number !== 0 && !refused.has(number));
      const schema = { type: 'string', enum: words.map(({ number }) => wordOf(desc, number)) };
      // A field that allows only some words of the enum has a list of its own.
      if (words.length < desc.values.length - 1) return schema;
      return this.#named(desc.name, desc.typeName, () => ({ ...schema, description: commentOf(desc) }));
    }
    if (field.message?.typeName === StructSchema.typeName) return { type: 'object', additionalProperties: true };
    if (field.message !== undefined) {
      return field.message.typeName === TimestampSchema.typeName
        ? { type: 'string', format: 'date-time' }
        : this.refTo(field.message, direction);
    }
    switch (field.scalar) {
      case ScalarType.STRING:
        return { type: 'string' };
      case ScalarType.BOOL:
        return { type: 'boolean' };
      case ScalarType.INT32:
      case ScalarType.SINT32:
      case ScalarType.SFIXED32:
        return { type: 'integer', format: 'int32' };
      case ScalarType.UINT32:
      case ScalarType.FIXED32:
        return { type: 'integer', minimum: 0, maximum: 4_294_967_295 };
      case ScalarType.FLOAT:
      case ScalarType.DOUBLE:
        return { type: 'number' };
      case ScalarType.BYTES:
        return { type: 'string', contentEncoding: 'base64' };
      default:
        throw noJsonForm(field);
    }
  }
}

/** Whether a field is a part of the JSON of its message. */
export function isInJson(field: DescField): boolean {
  return field.message?.typeName !== RawBodySchema.typeName && !isCookie(field) && listOfLabel(field) === undefined;
}

/**
 * Returns whether every response has the field. A response may leave out fields that the contract marks as `optional`. It leaves out empty
 * fields of messages with `omit_empty`.
 */
function isAlwaysThere(field: DescField): boolean {
  if (getOption(field.parent, omit_empty) && mayBeEmpty(field)) return false;
  if (field.oneof !== undefined) return false;
  if (field.fieldKind === 'message') return !field.proto.proto3Optional;
  return (
    field.fieldKind === 'list' || field.fieldKind === 'map' || field.presence === FeatureSet_FieldPresence.IMPLICIT
  );
}

/** Returns the names of these messages and of all messages inside them. */
function reachableFrom(messages: readonly DescMessage[]): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = (message: DescMessage): void => {
    if (found.has(message.typeName)) return;
    found.add(message.typeName);
    for (const field of message.fields) if (field.message !== undefined && isInJson(field)) visit(field.message);
  };
  messages.forEach(visit);
  return found;
}
