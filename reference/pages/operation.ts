import { REFERENCE } from '../api/address.js';
import type { Api, Operation, Response } from '../api/api.js';
import { type FieldGroup, requestGroups, responseGroups } from '../api/field-groups.js';
import type { FieldLists } from './field-list.js';
import { type Html, markup } from './html.js';
import { type Links, renderInline, renderMarkdown } from './markdown.js';
import { exampleBlock, sampleTabs } from './samples.js';
import { tryForm } from './try-form.js';

/** Renders what a page has of one operation: its meaning and fields, and beside them its samples, examples and a form to try it. */
export class OperationSections {
  readonly #api: Api;
  readonly #links: Links;
  readonly #lists: FieldLists;

  constructor(api: Api, links: Links, lists: FieldLists) {
    this.#api = api;
    this.#links = links;
    this.#lists = lists;
  }

  section(operation: Operation): Html {
    const { id, title, method, path, description, isEvent, access } = operation;
    const route = isEvent
      ? markup`<span class="method post">POST</span> to the URL of the webhook`
      : markup`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`;
    return markup`<section class="operation" id="${id}" aria-labelledby="${id}.title">
      <div class="text">
        <h2 id="${id}.title"><a href="#${id}">${title}</a></h2>
        <p class="route">${route}</p>
        ${renderMarkdown(description, this.#links).content}
        ${this.#callers(operation)}
        ${requestGroups(operation, this.#api).map((group) => this.#group(group))}
        ${isEvent ? undefined : responseGroups(operation, this.#api).map((group) => this.#group(group))}
        ${this.#errors(operation)}
        ${this.#limits(operation)}
      </div>
      <div class="side">
        ${isEvent ? undefined : sampleTabs(operation)}
        ${access === 'session' ? COOKIE : undefined}
        ${examplesOf(operation)}
        ${isEvent ? undefined : tryForm(operation, this.#api)}
      </div>
    </section>`;
  }

  #callers({ callers }: Operation): Html | undefined {
    if (callers === undefined) return undefined;
    return markup`<p class="callers"><strong>Callers</strong> ${renderInline(callers, this.#links)}</p>`;
  }

  #group(group: FieldGroup): Html {
    const { place, title, note, description, fields } = group;
    return markup`<h3 id="${place}">${title}${note === '' ? undefined : markup` <span class="note">${note}</span>`}</h3>
      ${description === '' ? undefined : renderMarkdown(description, this.#links).content}
      ${fields.length === 0 ? undefined : this.#lists.list(group)}`;
  }

  #errors({ id, errors, failures, isEvent, successes }: Operation): Html {
    const shown = isEvent ? [...successes, ...failures] : failures;
    return markup`<h3 id="${id}.errors">${isEvent ? 'Your response' : 'Errors'}</h3>
      ${errors === undefined ? undefined : renderMarkdown(errors, this.#links).content}
      <ul class="errors">
        ${shown.map((response) => this.#error(response))}
      </ul>`;
  }

  #error({ status, description }: Response): Html {
    const [, kind, meaning = description] = /^(`\w+`): ([^]*)$/.exec(description) ?? [];
    const word = status === 'default' ? 'else' : status;
    return markup`<li>
      <span class="status">${word}</span> ${kind === undefined ? undefined : renderInline(kind, this.#links)}
      ${renderInline(meaning, this.#links)}
    </li>`;
  }

  #limits({ id, limits }: Operation): Html | undefined {
    if (limits.length === 0) return undefined;
    const items = limits.map((limit) => markup`<li>${renderInline(limit, this.#links)}</li>`);
    return markup`<h3 id="${id}.limits">Limits</h3>
      <ul class="plain">
        ${items}
      </ul>`;
  }
}

const COOKIE = markup`<p class="soft">For signed-in people: <a href="${REFERENCE}#samples">where the cookie comes from</a>.</p>`;

function examplesOf({ body, isEvent, successes }: Operation): Html[] {
  if (isEvent) return body === undefined ? [] : [exampleBlock('Example of the body', body.type, body.content.example)];
  return successes.flatMap(({ status, content }) =>
    content
      .filter(([, { example }]) => example !== undefined)
      .map(([type, { example }], index) =>
        exampleBlock(`Response ${status}${index === 0 ? '' : `, ${type}`}`, type, example),
      ),
  );
}
