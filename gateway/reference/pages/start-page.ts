import { addressOfOperation, addressOfResource, REFERENCE } from './address.js';
import type { Api, Resource } from './api.js';
import type { Group, Page } from './frame.js';
import { type Html, markup } from './html.js';
import { type Links, renderMarkdown } from './markdown.js';

/** The first page: the resources with their operations, the guides, and the rules of every operation. */
export function startPage(api: Api, guides: readonly Group[], links: Links): Page {
  // Its titles are below the page's own.
  const [lead = '', ...rules] = api.introduction.split(/^(?=# )/m);
  const below = rules.join('').replace(/^# /gm, '## ');
  return {
    address: REFERENCE,
    below: [],
    title: `API reference of ${api.title.toLowerCase()}`,
    content: markup`<div class="text lead">
        <h1>API reference</h1>
        ${renderMarkdown(lead, links).content}
        <p>The same for programs: <a href="/openapi-v1.yaml">openapi-v1.yaml</a>.</p>
        ${renderMarkdown(SAMPLES, links).content}
      </div>
      <h2 id="resources">Resources</h2>
      <div class="cards">${api.resources.map(card)}</div>
      ${guides.map(guideList)}
      <div class="text">${renderMarkdown(below, links).content}</div>`,
  };
}

/** What the samples take from the environment, as those of the guides do. */
const SAMPLES = `## Samples

The samples read \`CLOUDPHONE_URL\`, the base URL with \`/v1\`, and \`CLOUDPHONE_KEY\`, an API key: see
[the first guide](/docs/guides/first-phone/). Operations for signed-in people take \`CLOUDPHONE_COOKIE\` in place of a key: the cookie
that \`POST /v1/session\` sets, \`cp_session=…\`.`;

function card(resource: Resource): Html {
  const items = resource.operations.map(
    (operation) => markup`<li><a href="${addressOfOperation(operation)}">${operation.title}</a></li>`,
  );
  return markup`<section class="card">
    <h3><a href="${addressOfResource(resource)}">${resource.name}</a></h3>
    <ul>
      ${items}
    </ul>
  </section>`;
}

function guideList({ title, entries }: Group): Html {
  return markup`<h2>${title}</h2>
    <ul class="guides">
      ${entries.map(({ address, title: name }) => markup`<li><a href="${address}">${name}</a></li>`)}
    </ul>`;
}
