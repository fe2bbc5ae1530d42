import type { FieldGroup } from '../api/field-groups.js';
import type { Field } from '../api/fields.js';
import { type Html, markup } from './html.js';
import { type Links, renderInline, renderMarkdown } from './markdown.js';

/** An object with more rows than this is shown in full only once on a page. Other places link to it. */
const ROWS_ONCE = 40;

type FieldList = Pick<FieldGroup, 'fields' | 'choice' | 'place' | 'isRequest'>;

/** Renders trees of fields for one page, on which a large object is shown once. */
export class FieldLists {
  readonly #links: Links;
  /** The id of the place where each named object is shown on the page, by the name of the object. */
  readonly #places = new Map<string, string>();

  readonly #rendered = new Map<string, Html>();

  constructor(links: Links) {
    this.#links = links;
  }

  /** Renders fields as a list. The ids of the fields begin with `place`. */
  list({ fields, choice, place, isRequest }: FieldList): Html {
    const rule = choice.length === 0 ? undefined : markup`<p class="choice">Exactly one of ${commas(choice)}.</p>`;
    return markup`${rule}
      <ul class="fields">
        ${fields.map((field) => this.#row(field, `${place}.${field.name}`, isRequest))}
      </ul>`;
  }

  #row(field: Field, id: string, isRequest: boolean): Html {
    const { name, type, required, description, words, limits } = field;
    const facts = [
      ...(words.length === 0 ? [] : [markup`one of ${commas(words)}`]),
      ...limits.map((limit) => renderInline(limit, this.#links)),
    ];
    return markup`<li id="${id}">
      <div class="name">
        <code>${name}</code>
        <span class="type">${type}</span>${isRequest && required ? markup` <span class="required">required</span>` : undefined}
      </div>
      ${facts.length === 0 ? undefined : markup`<p class="limits">${facts.map((fact, index) => markup`${index === 0 ? '' : '; '}${fact}`)}</p>`}
      ${this.#description(description)}${this.#inside(field, id, isRequest)}
    </li>`;
  }

  /** Renders each description once, and keeps it. Many operations have the same objects, whose descriptions make up most of a page. */
  #description(description: string): Html {
    const known = this.#rendered.get(description);
    if (known !== undefined) return known;
    const rendered = renderMarkdown(marked(description), this.#links).content;
    this.#rendered.set(description, rendered);
    return rendered;
  }

  #inside({ fields, choice, object, isAgain }: Field, id: string, isRequest: boolean): Html | undefined {
    const place = object === undefined ? undefined : this.#places.get(object);
    if (place !== undefined && (isAgain || countOf(fields) > ROWS_ONCE)) {
      return markup`<p class="again"><a href="#${place}">The fields are as shown above.</a></p>`;
    }
    if (isAgain) return markup`<p class="again">The fields are those of the object that it is in.</p>`;
    if (fields.length === 0) return undefined;
    if (object !== undefined) this.#places.set(object, id);
    const count = fields.length === 1 ? '1 field' : `${fields.length} fields`;
    return markup`<details>
      <summary>${count}<span class="unseen"> of ${id.split('.').at(-1)}</span></summary>
      ${this.list({ fields, choice, place: id, isRequest })}
    </details>`;
  }
}

function countOf(fields: readonly Field[]): number {
  return fields.reduce((count, field) => count + 1 + countOf(field.fields), 0);
}

function commas(words: readonly string[]): Html {
  return markup`${words.map((word, index) => markup`${index === 0 ? '' : ', '}<code>${word}</code>`)}`;
}

/** The description of a field, in which the meaning of its absence stands out. */
function marked(description: string): string {
  return description.replace(/(?<=^|\s)Absent: /g, '**Absent:** ');
}
