import type { Invocation } from '../command/command.js';
import { type Column, tableOf } from '../output/columns.js';
import { print } from '../command/print.js';
import { openService, type Service } from './connection.js';

/** A list of the API, and how it is shown. */
export interface Listing<T> {
  /** Path with /v1, without the query. */
  path: string;
  query?: Readonly<Record<string, string | undefined>>;
  /** The field of the response that has the items. */
  field: string;
  columns: readonly Column<T>[];
  /** The line for people when there is no item. */
  none: string;
}

/** The largest page that every list has. */
const PAGE_ITEMS = 200;

/** Prints all items of a list. With --json it is one response with the items of all pages. */
export async function listItems<T>(invocation: Invocation, listing: Listing<T>): Promise<void> {
  const items = await itemsOf<T>(invocation, openService(invocation), listing);
  const { none, columns, field } = listing;
  print(invocation, { [field]: items }, items.length === 0 ? none : tableOf(items, columns));
}

/** Returns the items of all pages of a list. */
export async function itemsOf<T>(
  { signal }: Pick<Invocation, 'signal'>,
  { phone }: Pick<Service, 'phone'>,
  { path, query = {}, field }: Pick<Listing<T>, 'path' | 'query' | 'field'>,
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const words = Object.entries({ ...query, limit: String(PAGE_ITEMS), cursor });
    const given = words.filter((word): word is [string, string] => word[1] !== undefined);
    const response = await phone.request('GET', `${path}?${new URLSearchParams(given).toString()}`, { signal });
    const page = (await response.json()) as Record<string, unknown>;
    items.push(...(page[field] as T[]));
    cursor = page['next_cursor'] as string | undefined;
  } while (cursor !== undefined);
  return items;
}

/** Returns the path of a device, or of something below it. */
export function devicePath(name: string, below = ''): string {
  return `/v1/devices/${encodeURIComponent(name)}${below}`;
}
