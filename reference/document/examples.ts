import { type DescField, type DescMessage, getOption, hasOption, ScalarType } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { wordOf } from '../../kit/text/wire-words.js';
import { example as exampleOption } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import type { Json } from './json.js';
import { isRequired, keywordsOf, refusedNumbers } from './rules.js';
import { type Direction, isInJson } from './schemas.js';

/** The example of a message: the one that the contract has, or one made of its fields. */
export function exampleOf(message: DescMessage, direction: Direction): Json {
  if (hasOption(message, exampleOption)) {
    const text = getOption(message, exampleOption);
    try {
      return JSON.parse(text) as Json;
    } catch (cause) {
      throw new Error(`${message.typeName}: its example is not JSON: ${text}`, { cause });
    }
  }
  const shown = message.fields.filter((field) => isInJson(field) && isShown(field, direction));
  return Object.fromEntries(shown.map((field) => [field.name, fieldExample(field, direction)]));
}

/** Whether an example has the field: a required one in requests, one that is always there in responses, the first field of a oneof. */
function isShown(field: DescField, direction: Direction): boolean {
  if (field.oneof !== undefined) return field.oneof.fields[0] === field;
  if (direction === 'request') return isRequired(field);
  return field.presence === FeatureSet_FieldPresence.IMPLICIT || !field.proto.proto3Optional;
}

/** The example of one field, such as a parameter. */
export function fieldExample(field: DescField, direction: Direction): unknown {
  if (field.fieldKind === 'list') return [valueExample(field, direction)];
  if (field.fieldKind === 'map') return {};
  return valueExample(field, direction);
}

function valueExample(field: DescField, direction: Direction): unknown {
  if (field.enum !== undefined) {
    const refused = refusedNumbers(field);
    const value = field.enum.values.find(({ number }) => number !== 0 && !refused.has(number));
    return wordOf(field.enum, value?.number ?? 0);
  }
  if (field.message !== undefined) {
    return field.message.typeName === TimestampSchema.typeName ? TIME : exampleOf(field.message, direction);
  }
  const { item } = keywordsOf(field);
  const { examples = [] } = item as { examples?: readonly unknown[] };
  if (examples.length > 0) return examples[0];
  switch (field.scalar) {
    case ScalarType.STRING:
      return NAMED[field.name] ?? field.name;
    case ScalarType.BOOL:
      return true;
    case ScalarType.BYTES:
      return 'iVBORw0KGgo=';
    default:
      return item['minimum'] ?? 1;
  }
}

const TIME = '2026-11-20T17:00:00.000Z';

/** Examples of text fields, by name. Each name has one meaning in the whole contract. */
const NAMED: Record<string, string> = { name: 'demo', device: 'demo', phone: 'demo', country: 'us' };
