import { type DescField, type DescMessage, getOption, type MessageShape, ScalarType } from '@bufbuild/protobuf';
import { type Path, reflect, type ReflectMessage } from '@bufbuild/protobuf/reflect';
import { createValidator, type Violation } from '@bufbuild/protovalidate';
import { field as fieldRules } from '../../proto/gen/buf/validate/validate_pb.js';
import { ApiError } from '../errors/api-error.js';
import { LABEL, listOfLabel } from '../json/or-label.js';
import type { HeaderField } from '../../proto/gen/cloudphone/api/v1/route_pb.js';
import { wordOf, wordsOf } from '../text/wire-words.js';

const validator = createValidator();

/** Values longer than this are cut in error texts. */
const SHOWN_CHARACTERS = 60;

/**
 * Throws bad_request when `message` breaks a rule of its proto file (buf.validate). The text has the JSON name of the field, or the header
 * that fills it. It also has the value and what is allowed. Values of fields marked debug_redact are not shown.
 */
export function assertValid<D extends DescMessage>(
  schema: D,
  message: MessageShape<D>,
  headers: readonly HeaderField[] = [],
): void {
  const result = validator.validate(schema, message);
  if (result.kind === 'valid') return;
  if (result.kind === 'error') throw result.error;
  // At most five faults are reported together, so that the caller can correct them in one go. A list of 200 items can have as many faults.
  const texts = result.violations
    .slice(0, 5)
    .map((violation) => describe(reflect(schema, message), violation, headers));
  throw new ApiError('bad_request', texts.join('; '));
}

function describe(
  root: ReflectMessage,
  { field, message, ruleId }: Violation,
  headers: readonly HeaderField[],
): string {
  const name = headers.find((header) => header.field === pathText(field))?.header ?? pathText(field);
  const { value, hidden } = valueAt(root, field);
  const [choice] = field.slice(-1);
  if (choice?.kind === 'oneof') {
    const words = choice.fields.map((one) => one.name).join(', ');
    return name === '' ? `one of ${words} is missing` : `${name} must have one of ${words}`;
  }
  if (ruleId === 'required') return `${name} is missing`;
  if (ruleId === 'string.min_len' && value === undefined) return `${name} is missing or empty`;
  if (ruleId === 'repeated.unique') return `${name} must not have an entry twice`;
  const last = field.at(-1);
  const words = last !== undefined && 'enum' in last && last.enum !== undefined ? wordsOf(last.enum) : undefined;
  if (words !== undefined) {
    return value === undefined
      ? `${name} is missing: must be one of ${words.join(', ')}`
      : `${name}: ${value} is not one of ${words.join(', ')}`;
  }
  if (name === '') return `the request ${message}`;
  const rule = ruleId === 'string.pattern' ? `must be like ${exampleOf(field)}` : message;
  return value === undefined || hidden ? `${name}: ${rule}` : `${name}: ${value} is not allowed, ${rule}`;
}

/** Returns the field's example, as JSON. Error texts show it in place of the regular expression, which callers may not understand. */
function exampleOf(path: Path): string {
  const field = path.findLast((part): part is DescField => part.kind === 'field');
  const rules = field === undefined ? undefined : getOption(field, fieldRules).type;
  const example = rules?.case === 'string' ? rules.value.example[0] : undefined;
  if (example === undefined) throw new Error(`${field?.toString()} has a pattern and no example`);
  return JSON.stringify(example);
}

/** Returns a path as the caller wrote it, for example `steps[2].tap.x`. A oneof has no name in JSON, so it is left out. */
function pathText(path: Path): string {
  let text = '';
  for (const part of path) {
    if (part.kind === 'list_sub') text += `[${part.index}]`;
    else if (part.kind === 'map_sub') text += `[${String(part.key).slice(0, SHOWN_CHARACTERS)}]`;
    else if (part.kind === 'field') text += text === '' ? nameOf(part) : `.${nameOf(part)}`;
  }
  return text;
}

/** Returns the name that a caller knows a field by. The label in place of a list has that of the list. */
function nameOf(field: DescField): string {
  const list = listOfLabel(field);
  return list === undefined ? field.name : `${list.name}.${LABEL}`;
}

function valueAt(root: ReflectMessage, path: Path): { value?: string; hidden: boolean } {
  let at: unknown = root;
  let hidden = false;
  for (const part of path) {
    if (part.kind === 'list_sub') at = (at as { get(index: number): unknown }).get(part.index);
    else if (part.kind === 'field') {
      hidden ||= part.proto.options?.debugRedact === true;
      const holder = at as ReflectMessage;
      if (!holder.isSet(part)) return { hidden };
      at = holder.get(part);
      if (part.fieldKind === 'enum')
        return Number(at) === 0 ? { hidden } : { value: enumText(part.enum, Number(at)), hidden };
      if (part.fieldKind === 'scalar' && part.scalar === ScalarType.STRING && at === '') return { hidden };
    } else return { hidden };
  }
  if (typeof at !== 'string' && typeof at !== 'number' && typeof at !== 'boolean') return { hidden };
  const text = JSON.stringify(at);
  return {
    value:
      text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…${typeof at === 'string' ? '"' : ''}` : text,
    hidden,
  };
}

function enumText(desc: Parameters<typeof wordOf>[0], value: number): string {
  return desc.value[value] === undefined ? String(value) : wordOf(desc, value);
}
