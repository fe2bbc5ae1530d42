import type { ApiDocument, Schema } from './document.js';
import type { ToolNames } from './tool-names.js';

/** Keywords that cost models more to read than they help: the API refuses values that break them, with a text. */
const LEFT_OUT = [
  ...['description', 'examples', 'format', 'additionalProperties', 'contentEncoding'],
  ...['minLength', 'maxLength', 'pattern', 'oneOf'],
];

const SENTENCES_MAX = 2;

/**
 * Makes the schemas of one tool: everything in place, as many hosts do not follow references. An object that stood in the tool before
 * has only the names and types of its fields.
 */
export class ToolSchemas {
  readonly #document: ApiDocument;
  readonly #names: ToolNames;
  readonly #explained = new Set<string>();

  constructor(document: ApiDocument, names: ToolNames) {
    this.#document = document;
    this.#names = names;
  }

  inPlace(schema: Schema): Schema {
    const name = this.#document.nameOf(schema);
    const repeats = name !== undefined && this.#explained.has(name);
    if (name !== undefined) this.#explained.add(name);
    const resolved = this.#document.resolve(schema);
    const words = schema.description ?? resolved.description ?? '';
    const description = oneLine(
      sentences(words, SENTENCES_MAX),
      ...(repeats ? [] : [...rules(resolved), choices(resolved)]),
    );
    const made = repeats ? this.#bare(resolved) : this.#explain(resolved);
    return { ...made, ...(description !== '' && { description: this.#names.in(description) }) };
  }

  #explain(schema: Schema): Schema {
    const { properties, items, ...rest } = schema;
    return {
      ...withoutKeywords(rest),
      ...(properties && { properties: mapValues(withoutDoubles(properties), (property) => this.inPlace(property)) }),
      ...(items && { items: this.inPlace(items) }),
    };
  }

  /** Without words. */
  #bare(schema: Schema): Schema {
    const resolved = this.#document.resolve(schema);
    const { type, properties, items, required } = resolved;
    return {
      ...(type !== undefined && { type }),
      ...(properties && { properties: mapValues(withoutDoubles(properties), (property) => this.#bare(property)) }),
      ...(items && { items: this.#bare(items) }),
      ...(required && { required }),
    };
  }
}

/** Leaves out the id of an element where there is a target, which can name it, too. */
function withoutDoubles(properties: Record<string, Schema>): Record<string, Schema> {
  if (!('target' in properties)) return properties;
  return Object.fromEntries(Object.entries(properties).filter(([name]) => name !== 'element'));
}

/** The rules of an object, with which its description ends. */
function rules({ description = '' }: Schema): string[] {
  return description.match(/\bIt must (?:not )?have [^.]*\./g) ?? [];
}

/** A oneOf in words, as some hosts refuse the keyword. */
function choices({ oneOf = [] }: Schema): string {
  const names = oneOf.flatMap(({ required = [] }) => required);
  return names.length === 0 ? '' : `Exactly one of ${names.join(', ')}.`;
}

function withoutKeywords(schema: Schema): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !LEFT_OUT.includes(keyword)));
}

function mapValues(properties: Record<string, Schema>, change: (schema: Schema) => Schema): Record<string, Schema> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, change(schema)]));
}

/** The first sentences of a text; the rest is for readers of the reference. */
export function sentences(text: string, most: number): string {
  return text
    .split(/(?<=\.)\s+(?=[A-Z`])/)
    .slice(0, most)
    .join(' ');
}

/** Texts in one line, without those that repeat the one before. */
export function oneLine(...texts: string[]): string {
  const lines = texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()).filter((text) => text !== '');
  return lines.filter((text, index) => lines.indexOf(text) === index).join(' ');
}
