import type { ApiDocument, Schema } from './document.js';

/** Returns the object that a short value stands for; undefined when it stands for none. */
type Short = (value: unknown) => Record<string, unknown> | undefined;

const target: Short = (value) => {
  if (typeof value === 'number') return { element: `e${value}` };
  if (typeof value === 'string') return /^e\d+$/.test(value) ? { element: value } : { text: value };
  if (Array.isArray(value) && value.length === 2) return { x: value[0] as unknown, y: value[1] as unknown };
  return undefined;
};

/** Puts a text or a number into an object, as its field `field`. */
const as =
  (field: string): Short =>
  (value) =>
    typeof value === 'string' || typeof value === 'number' ? { [field]: value } : undefined;

const nothing: Short = (value) => (value === true || value === '' ? {} : undefined);

/** How models write objects of the API in short, by component. */
const SHORT_FORMS: Readonly<Record<string, Short>> = {
  TargetInput: target,
  PressKeyInput: (value) => (Array.isArray(value) ? { names: value as unknown[] } : as('name')(value)),
  TypeTextInput: as('text'),
  OpenAppInput: as('app'),
  OpenUrlInput: as('url'),
  ScrollInput: as('direction'),
  ScrollUntilInput: as('text'),
  SwipeInput: as('direction'),
  PinchInput: as('scale'),
  RotateInput: as('to'),
  ExpectInput: as('text'),
  WaitInput: nothing,
  OpenNotificationsInput: nothing,
};

/**
 * Returns the value as the API takes it. Short forms become objects, and one item becomes a list where a list is expected. Numbers become
 * texts where texts are expected. Nulls are removed, as some models send null for a field that they do not set. Fields that the schema does
 * not have stay, so that the API refuses them.
 */
export function written(value: unknown, schema: Schema, document: ApiDocument): unknown {
  const { type, properties = {}, items } = document.resolve(schema);
  if (type === 'string') return typeof value === 'number' ? String(value) : value;
  if (type === 'array' && items !== undefined) {
    const list = listOf(value);
    return list === undefined ? value : list.map((item) => written(item, items, document));
  }
  if (type !== 'object') return value;
  const long = isObject(value) ? value : SHORT_FORMS[document.nameOf(schema) ?? '']?.(value);
  if (long === undefined) return value;
  const fields = Object.entries(long)
    .filter(([, field]) => field !== null)
    .map(([name, field]) => [
      name,
      properties[name] === undefined ? field : written(field, properties[name], document),
    ]);
  return Object.fromEntries(fields);
}

/** Some models send a list as JSON in a string. Undefined: the value is neither a list nor an item of one. */
export function listOf(value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (isObject(value)) return [value];
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return undefined;
  try {
    return listOf(JSON.parse(value));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
