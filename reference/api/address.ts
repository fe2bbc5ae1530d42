import type { Api, Operation, Resource } from './api.js';

/** The home of the documentation. */
export const HOME = '/docs/';
/** Where the pages of the reference are. */
export const REFERENCE = '/docs/reference/';
/** Where the guides are. */
export const GUIDES = '/docs/guides/';

export function addressOfResource({ slug }: Pick<Resource, 'slug'>): string {
  return `${REFERENCE}${slug}/`;
}

export function addressOfOperation({ tag, id }: Pick<Operation, 'tag' | 'id'>): string {
  return `${addressOfResource({ slug: tag.toLowerCase() })}#${id}`;
}

/** Returns the function that finds the address of an operation by its name, whatever its parameters are called. */
export function operationFinder({ resources }: Pick<Api, 'resources'>): (name: string) => string | undefined {
  const formOf = (name: string): string => name.replace(/\{\w+\}/g, '{}');
  const addresses = new Map(
    resources.flatMap(({ operations }) =>
      operations
        .filter(({ isEvent }) => !isEvent)
        .map((operation) => [formOf(`${operation.method} ${operation.path}`), addressOfOperation(operation)]),
    ),
  );
  return (name) => addresses.get(formOf(name));
}
