import { type DescField, getOption, hasOption, isFieldSet, type Message } from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import {
  EnumRulesSchema,
  field as fieldOption,
  type FieldRules,
  Ignore,
  DoubleRulesSchema,
  Int32RulesSchema,
  type MapRules,
  MapRulesSchema,
  type RepeatedRules,
  RepeatedRulesSchema,
  type StringRules,
  StringRulesSchema,
} from '../../proto/gen/buf/validate/validate_pb.js';
import type { Json } from './json.js';

/** The rules (buf.validate) of a field; undefined when it has none. */
function rulesOf(field: DescField): FieldRules | undefined {
  return hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
}

/**
 * Returns the limits of a field as keywords of JSON Schema. `item` has those of a value or item, and `list` has those of the list or map.
 */
export function keywordsOf(field: DescField): { item: Json; list: Json } {
  const rules = rulesOf(field);
  if (rules === undefined) return { item: {}, list: {} };
  if (rules.type.case === 'map') {
    const { values } = rules.type.value;
    const list = mapKeywords(field, rules.type.value);
    return { item: values === undefined ? {} : valueKeywords(field, values), list };
  }
  if (rules.type.case !== 'repeated') return { item: valueKeywords(field, rules), list: {} };
  const { items } = rules.type.value;
  return { item: items === undefined ? {} : valueKeywords(field, items), list: listKeywords(field, rules.type.value) };
}

/** Returns the texts of the rules that have their own text, such as "must be …". */
export function statedRules(field: DescField): string[] {
  return rulesOf(field)?.cel.map(({ message }) => message) ?? [];
}

/** Whether a request without the field is refused. */
export function isRequired(field: DescField): boolean {
  const rules = rulesOf(field);
  if (rules === undefined) return false;
  if (rules.required) return true;
  // With another `ignore`, the rules apply only to a value that is given, so the field may be absent.
  if (rules.ignore !== Ignore.UNSPECIFIED) return false;
  if (field.fieldKind === 'map') return false;
  if (field.presence !== FeatureSet_FieldPresence.IMPLICIT && field.fieldKind !== 'list') return false;
  if (rules.type.case === 'enum') return rules.type.value.notIn.includes(0);
  const { item, list } = keywordsOf(field);
  if (field.fieldKind === 'list') return Number(list['minItems'] ?? 0) > 0;
  const { minLength, minimum, pattern, format } = item;
  return (
    Number(minLength ?? 0) > 0 ||
    Number(minimum ?? 0) > 0 ||
    format !== undefined ||
    (typeof pattern === 'string' && !new RegExp(pattern, 'u').test(''))
  );
}

function valueKeywords(field: DescField, rules: FieldRules): Json {
  const { type, cel } = rules;
  const keywords: Json = {};
  for (const { expression } of cel) {
    const pattern = /^this\.matches\('((?:[^'\\]|\\.)*)'\)$/.exec(expression)?.[1];
    // Removes the escapes of the CEL literal, in which a backslash is written twice.
    if (pattern !== undefined) keywords['pattern'] = pattern.replace(/\\([\\'])/g, '$1');
  }
  switch (type.case) {
    case undefined:
      return keywords;
    case 'string':
      return { ...keywords, ...stringKeywords(field, type.value) };
    case 'int32':
    case 'double': {
      const all = type.case === 'int32' ? Int32RulesSchema.fields : DoubleRulesSchema.fields;
      assertKnown(field, type.value, all, ['gte', 'lte', 'example']);
      const { greaterThan, lessThan } = type.value;
      return {
        ...keywords,
        ...(greaterThan.case === 'gte' && { minimum: greaterThan.value }),
        ...(lessThan.case === 'lte' && { maximum: lessThan.value }),
      };
    }
    case 'enum':
      assertKnown(field, type.value, EnumRulesSchema.fields, ['definedOnly', 'notIn', 'example']);
      return keywords;
    case 'bytes':
      return keywords;
    default:
      throw unknownRule(field, type.case);
  }
}

function stringKeywords(field: DescField, rules: StringRules): Json {
  const known = ['minLen', 'maxLen', 'pattern', 'email', 'uri', 'in', 'example'];
  assertKnown(field, rules, StringRulesSchema.fields, known);
  const fields = StringRulesSchema.field;
  return {
    ...(isFieldSet(rules, fields.minLen) && { minLength: Number(rules.minLen) }),
    ...(isFieldSet(rules, fields.maxLen) && { maxLength: Number(rules.maxLen) }),
    ...(isFieldSet(rules, fields.pattern) && { pattern: rules.pattern }),
    ...(rules.in.length > 0 && { enum: rules.in }),
    ...(rules.wellKnown.case === 'email' && { format: 'email' }),
    ...(rules.wellKnown.case === 'uri' && { format: 'uri' }),
    ...(rules.example.length > 0 && { examples: rules.example }),
  };
}

function listKeywords(field: DescField, rules: RepeatedRules): Json {
  assertKnown(field, rules, RepeatedRulesSchema.fields, ['minItems', 'maxItems', 'unique', 'items']);
  const { minItems, maxItems, unique } = rules;
  return {
    ...(minItems > 0n && { minItems: Number(minItems) }),
    ...(isFieldSet(rules, RepeatedRulesSchema.field.maxItems) && { maxItems: Number(maxItems) }),
    ...(unique && { uniqueItems: true }),
  };
}

function mapKeywords(field: DescField, rules: MapRules): Json {
  assertKnown(field, rules, MapRulesSchema.fields, ['maxPairs', 'keys', 'values']);
  return {
    ...(isFieldSet(rules, MapRulesSchema.field.maxPairs) && { maxProperties: Number(rules.maxPairs) }),
    ...(rules.keys !== undefined && { propertyNames: valueKeywords(field, rules.keys) }),
  };
}

/** Returns the numbers of the enum values that a field does not take. */
export function refusedNumbers(field: DescField): ReadonlySet<number> {
  const rules = rulesOf(field);
  const own = rules?.type.case === 'repeated' ? rules.type.value.items?.type : rules?.type;
  return new Set(own?.case === 'enum' ? own.value.notIn : []);
}

/** Throws for a rule that is not understood here: a reference that leaves out a limit misleads its readers. */
function assertKnown(field: DescField, rules: Message, all: readonly DescField[], known: readonly string[]): void {
  for (const rule of all) {
    if (isFieldSet(rules, rule) && !known.includes(rule.localName)) throw unknownRule(field, rule.name);
  }
}

function unknownRule(field: DescField, rule: string): Error {
  return new Error(`${field.toString()}: its rule ${rule} has no form in the reference yet; add it to rules.ts`);
}
