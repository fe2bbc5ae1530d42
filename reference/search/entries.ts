import { addressOfOperation, addressOfResource, REFERENCE } from '../api/address.js';
import type { Api, Operation } from '../api/api.js';
import { requestGroups, responseGroups } from '../api/field-groups.js';
import type { Field } from '../api/fields.js';
import type { Guide, OpenShelf } from '../pages/guides.js';
import { plainText } from '../pages/plain-text.js';
import { type NamedRow, sectionsOf } from '../pages/sections.js';
import { textsOf } from '../pages/start-page.js';

/** The kind of a found thing, which readers see. `inside`: part of a guide for developers of the service; `result`: a field of a response. */
export type EntryKind =
  'operation' | 'event' | 'resource' | 'guide' | 'section' | 'inside' | 'field' | 'result' | 'error' | 'setting';

/** Something that the search finds. */
export interface Entry {
  kind: EntryKind;
  title: string;
  /** Names what the entry belongs to: a route, a guide, an operation. */
  about: string;
  address: string;
  /** The text without markup. */
  text: string;
}

/** Returns everything that can be found. Repeated entries of an error, of a setting, or of a field with the same text are left out. */
export function entriesOf(api: Api, shelves: readonly OpenShelf[]): Entry[] {
  const operations = api.resources.flatMap((resource) => resource.operations);
  const seen = new Set<string>();
  const isNew = (name: string): boolean => !seen.has(name) && seen.add(name).size > 0;
  const errors = new Set(errorsOf(api));
  const rules = {
    ...{ title: 'API reference', address: REFERENCE, about: 'Every operation, and the rules that all of them have.' },
    markdown: textsOf(api).rules,
  };
  const all = [
    ...api.resources.map((resource): Entry => ({
      ...{ kind: 'resource', title: resource.title, about: 'API reference', address: addressOfResource(resource) },
      text: plainText(resource.description),
    })),
    ...operations.map(operationEntry),
    ...shelves.flatMap(({ guides, isInside }) => guides.flatMap((guide) => guideEntries(guide, errors, isInside))),
    ...guideEntries(rules, errors),
    ...operations.flatMap((operation) => fieldEntries(operation, api, isNew)),
  ];
  return all.filter(({ kind, title, text }) => {
    if (kind === 'field' || kind === 'result') return isNew(`field ${title}: ${text}`);
    return (kind !== 'error' && kind !== 'setting') || isNew(`${kind} ${title}`);
  });
}

/** The kinds of errors, as the schema of the error object lists them. */
function errorsOf({ schemas }: Api): readonly string[] {
  return schemas['Error']?.properties?.['error']?.enum ?? [];
}

function operationEntry(operation: Operation): Entry {
  const { title, isEvent, method, path, description } = operation;
  return {
    ...{ kind: isEvent ? 'event' : 'operation', title, about: isEvent ? 'Sent to webhooks' : `${method} ${path}` },
    ...{ address: addressOfOperation(operation), text: plainText(description) },
  };
}

/** Returns entries for the page itself, for its sections, and for rows of its tables about an error or a setting. */
function guideEntries(guide: Guide, errors: ReadonlySet<string>, isInside = false): Entry[] {
  const { title, address, about } = guide;
  const kindOf = (kind: EntryKind): EntryKind => (isInside ? 'inside' : kind);
  return sectionsOf(guide.markdown).flatMap(({ id, rows, ...section }): Entry[] => [
    id === undefined
      ? { kind: kindOf('guide'), title, about, address, text: `${section.title}. ${section.text}` }
      : {
          kind: kindOf('section'),
          title: section.title,
          about: title,
          address: `${address}#${id}`,
          text: section.text,
        },
    ...rows.flatMap((row) => rowEntries(row, guide, errors)),
  ]);
}

const SETTING = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/;

function rowEntries({ names, id, text }: NamedRow, { title, address }: Guide, errors: ReadonlySet<string>): Entry[] {
  return names.flatMap((name): Entry[] => {
    const kind = errors.has(name) ? 'error' : SETTING.test(name) ? 'setting' : undefined;
    return kind === undefined ? [] : [{ kind, title: name, about: title, address: `${address}#${id ?? ''}`, text }];
  });
}

/** Returns entries for the fields of an operation, also nested ones. `isNew` returns true the first time that it gets a name. */
function fieldEntries(operation: Operation, api: Api, isNew: (name: string) => boolean): Entry[] {
  const { id: operationId, title, tag } = operation;
  const page = addressOfResource({ slug: tag.toLowerCase() });
  const visit = (kind: 'field' | 'result', fields: readonly Field[], owner: string, place: string): Entry[] =>
    fields.flatMap((field) => {
      const id = `${place}.${field.name}`;
      if (!isNew(`field ${owner} ${field.name}`)) return [];
      const entry: Entry = {
        ...{ kind, title: field.name, about: `${title}: ${id.slice(operationId.length + 1)}` },
        ...{ address: `${page}#${id}`, text: plainText(field.description) },
      };
      return [entry, ...visit(kind, field.fields, field.object ?? id, id)];
    });
  return [
    ...requestGroups(operation, api).flatMap(({ fields, place }) => visit('field', fields, place, place)),
    ...responseGroups(operation, api).flatMap(({ fields, place }) => visit('result', fields, place, place)),
  ];
}
