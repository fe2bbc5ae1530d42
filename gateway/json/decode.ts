import {
  create,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  type Message,
  ScalarType,
} from '@bufbuild/protobuf';
import { ApiError } from '../../kit/errors/api-error.js';
import { fieldsOf, noJsonForm } from '../../kit/json/encode.js';
import { LABEL, labelFieldOf, listOfLabel } from '../../kit/json/or-label.js';
import { field as fieldRules } from '../../proto/gen/buf/validate/validate_pb.js';
import { type JsonObject, type JsonValue, shorten } from './parse.js';
import { kindOf, type ReadValue, valueReader } from './value.js';

/** Sets fields of `message` from a JSON object. `at` is the place of the object, such as `steps[2].tap`; it is empty at the top. */
export type JsonDecoder = (object: JsonObject, message: Message, at: string) => void;

export interface JsonDecoders {
  /** Returns a decoder for messages of a type. Fields named in `except` are unknown to it. */
  decoderFor(schema: DescMessage, except?: ReadonlySet<string>): JsonDecoder;
  /** Returns a function that sets one field from one JSON value. */
  setterFor(field: DescField): SetField;
}

export type SetField = (message: Message, value: JsonValue, at: string) => void;

/**
 * Creates strict decoders for message types. Any deviation is bad_request, with a text that has the place, the value found and the
 * allowed values. Deviations are unknown names, null, wrong types, words that an enum does not have, numbers out of range, and two
 * members of a oneof. The service checks whether values are allowed (buf.validate).
 *
 * The fields of a type are read once, when its decoder is made.
 */
export function createJsonDecoders(): JsonDecoders {
  const made = new Map<string, JsonDecoder>();
  const decoders: JsonDecoders = {
    decoderFor: (schema, except) => {
      const shared = except === undefined || except.size === 0;
      const known = shared ? made.get(schema.typeName) : undefined;
      if (known !== undefined) return known;
      const setters = new Map<string, SetField>();
      const decoder = objectDecoder(setters, except);
      // The decoder is registered before its fields are read, so that a type may contain itself.
      if (shared) made.set(schema.typeName, decoder);
      for (const field of schema.fields) {
        if (except?.has(field.name) !== true && listOfLabel(field) === undefined)
          setters.set(field.name, decoders.setterFor(field));
      }
      return decoder;
    },
    setterFor: (field) =>
      field.fieldKind === 'map'
        ? mapSetter(field)
        : orLabelSetter(
            field,
            fieldSetter(
              field,
              valueReader(field, (schema) => messageReader(schema, decoders)),
            ),
          ),
  };
  return decoders;
}

function objectDecoder(setters: ReadonlyMap<string, SetField>, except?: ReadonlySet<string>): JsonDecoder {
  return (object, message, at) => {
    for (const [name, value] of object) {
      const set = setters.get(name);
      const path = at === '' ? name : `${at}.${name}`;
      if (set === undefined) {
        const allowed = setters.size === 0 ? 'none' : [...setters.keys()].join(', ');
        const elsewhere = except?.has(name) === true ? ': the path or a header has it, and it cannot be changed' : '';
        throw new ApiError(
          'bad_request',
          `Unknown field ${shorten(path)} in the body${elsewhere}; allowed here: ${allowed}.`,
        );
      }
      if (value === null) throw new ApiError('bad_request', `${path}: null is not allowed; leave the field out.`);
      set(message, value, path);
    }
  };
}

function messageReader(schema: DescMessage, decoders: JsonDecoders): ReadValue {
  const decode = decoders.decoderFor(schema);
  return (value, at) => {
    if (!(value instanceof Map)) throw new ApiError('bad_request', `${at} must be an object, not ${kindOf(value)}.`);
    const message = create(schema);
    decode(value, message, at);
    return message;
  };
}

function wantsItems(field: DescField): boolean {
  if (!hasOption(field, fieldRules)) return false;
  const { type } = getOption(field, fieldRules);
  return type.case === 'repeated' && type.value.minItems > 0n;
}

/** Returns a setter for a map from texts to texts. */
function mapSetter(field: DescField & { fieldKind: 'map' }): SetField {
  if (field.mapKey !== ScalarType.STRING || field.scalar !== ScalarType.STRING) throw noJsonForm(field);
  return (message, value, at) => {
    if (!(value instanceof Map)) throw new ApiError('bad_request', `${at} must be an object, not ${kindOf(value)}.`);
    const entries = [...value].map(([key, text]): [string, string] => {
      if (typeof text === 'string') return [key, text];
      throw new ApiError('bad_request', `${at}.${shorten(key)} must be a string, not ${kindOf(text)}.`);
    });
    // Object.fromEntries makes a key "__proto__" an ordinary field, which an assignment would not.
    fieldsOf(message)[field.localName] = Object.fromEntries(entries);
  };
}

/** Returns the setter of a list of devices that may be an object with a label; that of any other field is `setList` itself. */
function orLabelSetter(field: DescField, setList: SetField): SetField {
  const label = labelFieldOf(field);
  if (label === undefined) return setList;
  return (message, value, at) => {
    if (Array.isArray(value)) {
      setList(message, value, at);
      return;
    }
    if (!(value instanceof Map))
      throw new ApiError(
        'bad_request',
        `${at} must be an array of names, or {"${LABEL}": "team=qa"}, not ${kindOf(value)}.`,
      );
    const [[name, text] = [], ...more] = [...value];
    if (name !== LABEL || more.length > 0 || typeof text !== 'string')
      throw new ApiError('bad_request', `${at} must have one field, "${LABEL}", with a text such as "team=qa".`);
    fieldsOf(message)[label.localName] = text;
  };
}

function fieldSetter(field: DescField, read: ReadValue): SetField {
  const { localName, oneof } = field;
  if (field.fieldKind === 'list') {
    const mayBeEmpty = !wantsItems(field);
    return (message, value, at) => {
      if (!Array.isArray(value)) throw new ApiError('bad_request', `${at} must be an array, not ${kindOf(value)}.`);
      // A message does not distinguish an empty list from an absent one. In a change, an absent list means that nothing changes.
      if (value.length === 0 && !mayBeEmpty) throw new ApiError('bad_request', `${at} must have at least one item.`);
      fieldsOf(message)[localName] = value.map((item, index) => {
        const itemAt = `${at}[${index}]`;
        if (item === null) throw new ApiError('bad_request', `${itemAt}: null is not allowed; leave the item out.`);
        return read(item, itemAt);
      });
    };
  }
  if (oneof === undefined) {
    return (message, value, at) => {
      fieldsOf(message)[localName] = read(value, at);
    };
  }
  const members = oneof.fields.map(({ name }) => name).join(', ');
  return (message, value, at) => {
    const fields = fieldsOf(message) as Record<string, { case?: string }>;
    const other = oneof.fields.find((member) => member.localName === fields[oneof.localName]?.case);
    if (other !== undefined) {
      const otherAt = at.slice(0, at.length - field.name.length) + other.name;
      throw new ApiError('bad_request', `${otherAt} and ${at} cannot both be given: only one of ${members}.`);
    }
    fieldsOf(message)[oneof.localName] = { case: localName, value: read(value, at) };
  };
}
