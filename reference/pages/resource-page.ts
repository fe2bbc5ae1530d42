import { addressOfResource } from '../api/address.js';
import type { Api, Resource } from '../api/api.js';
import { FieldLists } from './field-list.js';
import type { Page } from './frame.js';
import { markup } from './html.js';
import { type Links, renderMarkdown } from './markdown.js';
import { OperationSections } from './operation.js';

/** The page of a resource, with all of its operations. */
export function resourcePage(resource: Resource, api: Api, links: Links): Page {
  const { title: name, description, operations } = resource;
  const sections = new OperationSections(api, links, new FieldLists(links));
  const list = operations.map(
    ({ id, title, method, path, isEvent }) =>
      markup`<li>
        <a href="#${id}">${title}</a>
        ${isEvent ? undefined : markup`<span class="method ${method.toLowerCase()}">${method}</span> <code>${path}</code>`}
      </li>`,
  );
  return {
    ...{ address: addressOfResource(resource), part: 'reference' },
    below: operations.map(({ id, title }) => ({ address: `#${id}`, title })),
    title: `${name}: API of ${api.title.toLowerCase()}`,
    content: markup`<div class="text lead">
        <h1>${name}</h1>
        ${renderMarkdown(description, links).content}
        <ul class="overview">
          ${list}
        </ul>
      </div>
      ${operations.map((operation) => sections.section(operation))}`,
  };
}
