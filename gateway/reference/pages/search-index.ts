import { addressOfOperation, addressOfResource } from './address.js';
import type { Api, Operation } from './api.js';
import { requestGroups, responseGroups } from './field-groups.js';
import type { Field } from './fields.js';
import type { Page } from './frame.js';

/** What a search finds: a title, what it belongs to, and an address. */
export interface Found {
  kind: 'operation' | 'guide' | 'field';
  title: string;
  about: string;
  address: string;
}

/** Everything that can be searched: operations first, then guides with their titles, then fields, each field of an object once. */
export function searchIndex(api: Api, guides: readonly Pick<Page, 'title' | 'address' | 'below'>[]): Found[] {
  const operations = api.resources.flatMap((resource) => resource.operations);
  const seen = new Set<string>();
  return [
    ...operations.map((operation): Found => ({
      ...{ kind: 'operation', title: operation.title, address: addressOfOperation(operation) },
      about: operation.isEvent ? 'an event' : `${operation.method} ${operation.path}`,
    })),
    ...guides.flatMap(({ title: name, address, below }): Found[] => [
      { kind: 'guide', title: name, about: 'Guide', address },
      ...below.map((entry): Found => ({ kind: 'guide', title: entry.title, about: name, address: entry.address })),
    ]),
    ...operations.flatMap((operation) => fieldsIn(operation, api, seen)),
  ];
}

function fieldsIn(operation: Operation, api: Api, seen: Set<string>): Found[] {
  const { title, tag } = operation;
  const page = addressOfResource({ slug: tag.toLowerCase() });
  const visit = (fields: readonly Field[], owner: string, place: string): Found[] =>
    fields.flatMap((field) => {
      const id = `${place}.${field.name}`;
      const known = `${owner} ${field.name}`;
      if (seen.has(known)) return [];
      seen.add(known);
      const found: Found = {
        kind: 'field',
        title: field.name,
        about: `${title}: ${id.slice(operation.id.length + 1)}`,
        address: `${page}#${id}`,
      };
      return [found, ...visit(field.fields, field.object ?? id, id)];
    });
  return [...requestGroups(operation, api), ...responseGroups(operation, api)].flatMap(({ fields, place }) =>
    visit(fields, place, place),
  );
}
