import { resolve, type Schema } from './api.js';

/** A field of a body, or a parameter, as a row of a tree. */
export interface Field {
  name: string;
  /** The type as people read it: `string`, `list of objects`. */
  type: string;
  required: boolean;
  /** Markdown. */
  description: string;
  /** The words that are allowed as its value. */
  words: readonly string[];
  /** The limits of its value, each a few words of Markdown. */
  limits: readonly string[];
  /** The fields of its object. The object is the value itself, or an item of its list, or a value of its map. */
  fields: readonly Field[];
  /** Names of the fields that exclude each other: the object has exactly one of them. */
  choice: readonly string[];
  /** The name of the schema that `fields` are from. Undefined: the schema has no name. */
  object: string | undefined;
  /** Whether the row is inside an object of the same name. Then `fields` is empty, as the rows would never end. */
  isAgain: boolean;
}

type Schemas = Record<string, Schema>;

/** Returns the fields of an object, the required ones first. */
export function fieldsOf(schema: Schema, schemas: Schemas, within: readonly string[] = []): Field[] {
  const { properties = {}, required = [] } = target(schema, schemas);
  const fields = Object.entries(properties).map(([name, property]) =>
    fieldOf(name, property, required.includes(name), schemas, within),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

/** Returns the names of the fields that exclude each other in an object. */
export function choiceOf(schema: Schema, schemas: Schemas): string[] {
  return (target(schema, schemas).oneOf ?? []).flatMap(({ required }) => required);
}

/** Returns one field with the fields inside it. `within` has the names of the objects that the field is a part of. */
export function fieldOf(
  name: string,
  property: Schema,
  required: boolean,
  schemas: Schemas,
  within: readonly string[] = [],
): Field {
  const schema = { ...target(property, schemas), ...property };
  const inner = innerOf(schema);
  const item = inner === undefined ? schema : { ...target(inner, schemas), ...inner };
  const object = (inner ?? property).$ref?.split('/').at(-1);
  const isObject = item.properties !== undefined && Object.keys(item.properties).length > 0;
  const isAgain = isObject && object !== undefined && within.includes(object);
  const inside = object === undefined ? within : [...within, object];
  return {
    ...{ name, required, type: typeOf(schema, item) },
    description: property.description ?? '',
    words: item.enum ?? [],
    limits: [...limitsOf(schema), ...(inner === undefined ? [] : limitsOf(item).map((limit) => `each ${limit}`))],
    fields: isObject && !isAgain ? fieldsOf(item, schemas, inside) : [],
    choice: isObject && !isAgain ? choiceOf(item, schemas) : [],
    ...{ object, isAgain },
  };
}

function target(schema: Schema, schemas: Schemas): Schema {
  return schema.$ref === undefined ? schema : resolve(schema.$ref, schemas);
}

/** The schema of the items of a list, or of the values of a map. */
function innerOf({ items, additionalProperties }: Schema): Schema | undefined {
  return items ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

function typeOf(schema: Schema, item: Schema): string {
  const one =
    item.format === 'date-time' ? 'time' : item.contentEncoding === 'base64' ? 'base64' : (item.type ?? 'any');
  if (schema.items !== undefined) return `list of ${one}s`.replace('base64s', 'base64 texts');
  return schema.type === 'object' && typeof schema.additionalProperties === 'object' ? `map of ${one}s by name` : one;
}

function limitsOf(schema: Schema): string[] {
  const { format, pattern, minLength, maxLength, minimum, maximum, minItems, maxItems, maxProperties } = schema;
  const texts = [
    range(minLength, maxLength, 'characters'),
    range(minimum, maximum, ''),
    range(minItems, maxItems, 'items'),
    range(undefined, maxProperties, 'entries'),
    schema.uniqueItems === true ? 'each once' : undefined,
    format === 'email' || format === 'uri' ? (format === 'uri' ? 'a URI' : 'an e-mail address') : undefined,
    pattern === undefined ? undefined : `matches \`${pattern}\``,
  ];
  return texts.filter((text) => text !== undefined);
}

// The formatter is made once, as making it takes longer than everything else in this file.
const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 });

/** "1 to 40 characters"; undefined when there is no bound. */
function range(least: number | undefined, most: number | undefined, unit: string): string | undefined {
  if (least === undefined && most === undefined) return undefined;
  const number = (value: number): string => NUMBERS.format(value);
  const bounds =
    least === undefined || (least === 0 && most !== undefined && unit !== '')
      ? `at most ${number(most ?? 0)}`
      : most === undefined
        ? `at least ${number(least)}`
        : least === most
          ? number(most)
          : `${number(least)} to ${number(most)}`;
  return unit === '' ? bounds : `${bounds} ${unit}`;
}
