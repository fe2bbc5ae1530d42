import type { ApiDocument, Schema } from './document.js';
import type { ToolNames } from './tool-names.js';
import { WORDS } from './words.js';

/**
 * Keywords that schemas leave out, as reading them costs models more than they help. The API explains what is wrong when a value breaks
 * them.
 */
const LEFT_OUT = [
  ...['description', 'examples', 'format', 'additionalProperties', 'propertyNames', 'maxProperties'],
  ...['minLength', 'maxLength', 'pattern', 'oneOf', 'minimum', 'contentEncoding'],
];

/** A `maximum` above this one is left out: it is only the bound of the number's type. */
const MAX_BOUND = 1_000_000;

const MAX_SENTENCES = 2;

/** Most choices that are written at each place: a reference to so few takes as long to read as the choices. */
const CHOICES_IN_PLACE = 6;

/**
 * Makes the schemas of one tool. A large component that the tool has in several places is once in `$defs`, and the places refer to it.
 * Everything else is written in its place.
 */
export class ToolSchemas {
  readonly #document: ApiDocument;
  readonly #names: ToolNames;
  readonly #counts = new Map<string, number>();
  readonly #shared = new Map<string, Schema>();

  /** `all`: every schema of the tool. */
  constructor(document: ApiDocument, names: ToolNames, all: readonly Schema[]) {
    this.#document = document;
    this.#names = names;
    for (const schema of all) this.#count(schema);
  }

  /** Makes the schema of a field or parameter. `place` is its name in WORDS. */
  make(schema: Schema, place: string): Schema {
    const words = WORDS[place] ?? this.#wordsOf(schema);
    const description = this.#names.in(oneLine(sentences(words, MAX_SENTENCES)));
    return { ...this.#body(schema), ...(description !== '' && { description }) };
  }

  /** The components that several places refer to. They are complete once `make` was called for all fields. */
  get defs(): Record<string, Schema> {
    return Object.fromEntries(this.#shared);
  }

  #body(schema: Schema): Schema {
    const name = this.#document.nameOf(schema);
    const resolved = this.#document.resolve(schema);
    if (name === undefined || !this.#isShared(name, resolved)) return this.#inPlace(resolved, name);
    const short = shortName(name);
    if (!this.#shared.has(short)) {
      const words = WORDS[name] ?? '';
      this.#shared.set(short, { ...this.#inPlace(resolved, name), ...(words !== '' && { description: words }) });
    }
    return { $ref: `#/$defs/${short}` };
  }

  #isShared(name: string, { type, properties = {}, enum: choices = [] }: Schema): boolean {
    const isLarge = type === 'object' ? Object.keys(properties).length > 2 : choices.length > CHOICES_IN_PLACE;
    return isLarge && (this.#counts.get(name) ?? 0) > 1;
  }

  #inPlace({ properties, items, ...rest }: Schema, name: string | undefined): Schema {
    return {
      ...withoutKeywords(rest),
      ...(properties && {
        properties: Object.fromEntries(
          withoutDoubles(properties).map(([field, schema]) => [field, this.make(schema, `${name ?? ''}.${field}`)]),
        ),
      }),
      ...(items && { items: this.make(items, '') }),
    };
  }

  /** Returns the description of a schema. A component that is in `$defs` has its description there. */
  #wordsOf(schema: Schema): string {
    const name = this.#document.nameOf(schema);
    const resolved = this.#document.resolve(schema);
    if (schema.description !== undefined) return schema.description;
    if (name !== undefined && this.#isShared(name, resolved)) return '';
    return (name === undefined ? undefined : WORDS[name]) ?? resolved.description ?? '';
  }

  #count(schema: Schema): void {
    const name = this.#document.nameOf(schema);
    if (name !== undefined) {
      this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
      if (this.#counts.get(name) !== 1) return;
    }
    const { properties = {}, items } = this.#document.resolve(schema);
    for (const [, property] of withoutDoubles(properties)) this.#count(property);
    if (items !== undefined) this.#count(items);
  }
}

/** Leaves out `element` where there is a `target`, which can name the element, too. */
function withoutDoubles(properties: Record<string, Schema>): [string, Schema][] {
  return Object.entries(properties).filter(([name]) => name !== 'element' || !('target' in properties));
}

/** Returns the name without its ending Input. The components of requests have that ending where responses have such a component, too. */
function shortName(component: string): string {
  return component.replace(/Input$/, '');
}

function withoutKeywords(schema: Schema): Schema {
  const kept = Object.entries(schema).filter(
    ([keyword, value]) => !LEFT_OUT.includes(keyword) && !(keyword === 'maximum' && Number(value) > MAX_BOUND),
  );
  return Object.fromEntries(kept);
}

/** The first sentences of a text; the rest is for readers of the reference. */
export function sentences(text: string, most: number): string {
  return text
    .split(/(?<=\.)\s+(?=[A-Z`])/)
    .slice(0, most)
    .join(' ');
}

/** Returns the texts in one line, each only once. */
export function oneLine(...texts: string[]): string {
  const lines = texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()).filter((text) => text !== '');
  return lines.filter((text, index) => lines.indexOf(text) === index).join(' ');
}
