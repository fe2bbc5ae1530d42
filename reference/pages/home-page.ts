import { addressOfResource, HOME, REFERENCE } from '../api/address.js';
import type { Api, ResourceGroup } from '../api/api.js';
import type { Page } from './frame.js';
import type { OpenShelf } from './guides.js';
import { type Html, markup } from './html.js';

/** The home of the documentation: the first steps, the guides by reader, and the resources of the API. */
export function homePage(api: Api, shelves: readonly OpenShelf[]): Page {
  return {
    ...{ address: HOME, part: 'guides', below: [] },
    title: `Docs: ${api.title.toLowerCase()}`,
    content: markup`<div class="home">
      <div class="hero">
        <h1>Docs</h1>
        <p>Virtual Android phones behind an API: for people, programs and AI agents. Choose what you do, or search by words.</p>
        <p class="starts">
          <a class="start" href="/docs/guides/first-phone/">Use a first phone</a>
          <a href="${REFERENCE}">API reference</a>
          <a href="/openapi-v1.yaml">OpenAPI file</a>
        </p>
      </div>
      <div class="shelves">${shelves.map(shelfHtml)}</div>
      <h2 id="resources">API reference</h2>
      <p class="soft">Every operation, with samples in four languages, its errors, its limits, and a form to try it.</p>
      <div class="cards groups">${api.groups.map(groupHtml)}</div>
    </div>`,
  };
}

function shelfHtml({ reader, wants, guides }: OpenShelf): Html {
  const items = guides.map(
    ({ address, title, about }) => markup`<li>
      <a href="${address}">${title}</a>
      <p>${about}</p>
    </li>`,
  );
  return markup`<section class="card shelf">
    <h2>${reader}</h2>
    <p class="soft">${wants}</p>
    <ul>
      ${items}
    </ul>
  </section>`;
}

function groupHtml({ title, resources }: ResourceGroup): Html {
  const items = resources.map(
    (resource) => markup`<li><a href="${addressOfResource(resource)}">${resource.title}</a></li>`,
  );
  return markup`<section class="card">
    <h3>${title}</h3>
    <ul>
      ${items}
    </ul>
  </section>`;
}
