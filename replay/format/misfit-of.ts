import { MAX_SHOWN_CHARS } from './limits.js';
import type { ArrayShape, Misfit, NumberShape, ObjectShape, Shape, StringShape } from './shape.js';

/** Returns the first place at which a value has not the shape. Undefined: it has. */
export function misfitOf(value: unknown, shape: Shape, path = ''): Misfit | undefined {
  switch (shape.type) {
    case 'object':
      return isMap(value) ? inMap(value, shape, path) : { path, fault: `must be a map, not ${shown(value)}` };
    case 'array':
      return Array.isArray(value) ? inList(value, shape, path) : { path, fault: `must be a list, not ${shown(value)}` };
    case 'string':
      return inText(value, shape, path);
    case 'boolean':
      return typeof value === 'boolean' ? undefined : { path, fault: `must be true or false, not ${shown(value)}` };
    default:
      return inNumber(value, shape, path);
  }
}

function inMap(value: Readonly<Record<string, unknown>>, shape: ObjectShape, path: string): Misfit | undefined {
  const { properties = {}, required = [], additionalProperties: others, maxProperties = Infinity } = shape;
  const names = Object.keys(value);
  if (names.length > maxProperties) return { path, fault: `must not have more than ${maxProperties} members` };
  const pattern = shape.propertyNames && new RegExp(shape.propertyNames.pattern, 'u');
  for (const name of names) {
    const inner = Object.hasOwn(properties, name) ? properties[name] : others;
    const place = path === '' ? name : `${path}.${name}`;
    if (inner === false || inner === undefined) {
      const known = Object.keys(properties).join(', ');
      return { path: place, fault: `is not known here. Known: ${known === '' ? 'nothing' : known}` };
    }
    if (pattern?.test(name) === false)
      return { path: place, fault: `must be a name of letters, digits and _, with a letter first` };
    const misfit = misfitOf(value[name], inner, place);
    if (misfit !== undefined) return misfit;
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) return { path, fault: `needs ${missing}` };
  return inChoice(value, shape, path);
}

function inChoice(
  value: Readonly<Record<string, unknown>>,
  { oneOf, dependentRequired = {} }: ObjectShape,
  path: string,
): Misfit | undefined {
  if (oneOf !== undefined) {
    const choices = oneOf.map(({ required: [name] }) => name);
    const given = choices.filter((name) => Object.hasOwn(value, name));
    if (given.length !== 1) {
      const has = given.length === 0 ? 'has none' : `has ${given.join(' and ')}`;
      return { path, fault: `must have exactly one of ${choices.join(', ')}; it ${has}` };
    }
  }
  for (const [name, [needed]] of Object.entries(dependentRequired))
    if (Object.hasOwn(value, name) && !Object.hasOwn(value, needed))
      return { path, fault: `has ${name}, so it needs ${needed}` };
  return undefined;
}

function inList(value: readonly unknown[], shape: ArrayShape, path: string): Misfit | undefined {
  const { items, minItems = 0, maxItems = Infinity } = shape;
  if (value.length < minItems) return { path, fault: `must have at least ${minItems} of them` };
  if (value.length > maxItems) return { path, fault: `has ${value.length} of them; ${maxItems} is the most` };
  for (const [at, item] of value.entries()) {
    const misfit = misfitOf(item, items, `${path}[${at}]`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

function inText(value: unknown, shape: StringShape, path: string): Misfit | undefined {
  if (typeof value !== 'string') {
    const hint = typeof value === 'number' || typeof value === 'boolean' ? '. Put it into quotes' : '';
    return { path, fault: `must be a text, not ${shown(value)}${hint}` };
  }
  const { minLength = 0, maxLength = Infinity, pattern, enum: words } = shape;
  if (words !== undefined && !words.includes(value)) return { path, fault: `must be one of ${words.join(', ')}` };
  if (value.length < minLength) return { path, fault: 'must not be empty' };
  if (value.length > maxLength) return { path, fault: `must have at most ${maxLength} characters` };
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(value))
    return { path, fault: `must match ${pattern}, unlike ${shown(value)}` };
  return undefined;
}

function inNumber(value: unknown, { type, minimum, maximum }: NumberShape, path: string): Misfit | undefined {
  const isGood = typeof value === 'number' && value >= minimum && value <= maximum;
  if (isGood && (type === 'number' || Number.isInteger(value))) return undefined;
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  return { path, fault: `must be ${kind} from ${minimum} to ${maximum}, not ${shown(value)}` };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a value for an error: its beginning where it is a text, else its kind. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'a map';
  if (value === null || value === undefined) return 'nothing';
  const text = typeof value === 'object' ? 'something else' : JSON.stringify(value);
  return text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
}
