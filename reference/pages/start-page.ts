import { addressOfOperation, addressOfResource, REFERENCE } from '../api/address.js';
import type { Api, Resource, ResourceGroup } from '../api/api.js';
import type { Page } from './frame.js';
import { type Html, markup } from './html.js';
import { type Links, renderMarkdown } from './markdown.js';

/** The first page of the reference: the resources with their operations, and the rules of every operation. */
export function startPage(api: Api, links: Links): Page {
  const { lead, rules } = textsOf(api);
  const before = renderMarkdown(`${lead}\n\n${SAMPLES}`, links);
  const after = renderMarkdown(rules, links);
  const titles = [{ id: 'resources', text: 'Resources' }, ...after.headings.filter(({ depth }) => depth === 2)];
  return {
    ...{ address: REFERENCE, part: 'reference' },
    below: titles.map(({ id, text }) => ({ address: `#${id}`, title: text })),
    title: `API reference of ${api.title.toLowerCase()}`,
    content: markup`<div class="text lead">
        <h1>API reference</h1>
        ${before.content}
        <p>The same for programs: <a href="/openapi-v1.yaml">openapi-v1.yaml</a>.</p>
      </div>
      <h2 id="resources">Resources</h2>
      ${api.groups.map(groupHtml)}
      <div class="text">${after.content}</div>`,
  };
}

/**
 * Returns the texts of the page, as Markdown. `lead` is above the resources, and `rules` are below them. The titles in `rules` are of the
 * second level.
 */
export function textsOf({ introduction }: Pick<Api, 'introduction'>): { lead: string; rules: string } {
  const [lead = '', ...rules] = introduction.split(/^(?=# )/m);
  return { lead, rules: rules.join('').replace(/^# /gm, '## ') };
}

/** The text on the environment variables that samples read. The samples of the guides read the same ones. */
const SAMPLES = `## Samples

The samples read \`CLOUDPHONE_URL\`, the base URL with \`/v1\`, and \`CLOUDPHONE_KEY\`, an API key: see
[the first guide](/docs/guides/first-phone/). Operations for signed-in people take \`CLOUDPHONE_COOKIE\` in place of a key: the cookie
that \`POST /v1/session\` sets, \`cp_session=…\`.`;

function groupHtml({ title, resources }: ResourceGroup): Html {
  return markup`<h3 class="group">${title}</h3>
    <div class="cards">${resources.map(card)}</div>`;
}

function card(resource: Resource): Html {
  const items = resource.operations.map(
    (operation) => markup`<li><a href="${addressOfOperation(operation)}">${operation.title}</a></li>`,
  );
  return markup`<section class="card">
    <h4><a href="${addressOfResource(resource)}">${resource.title}</a></h4>
    <ul>
      ${items}
    </ul>
  </section>`;
}
