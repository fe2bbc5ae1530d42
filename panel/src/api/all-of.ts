import type { paths } from '../../gen/api.ts';
import { api, take } from './client.ts';

/** A page of a list of the API. */
interface ListPage {
  next_cursor?: string;
}

type PageOf<P extends keyof paths> = paths[P] extends {
  get: { responses: { 200: { content: { 'application/json': infer Page } } } };
}
  ? Page
  : never;

/** Lists of the API, by their path. */
type ListPath = { [P in keyof paths]: PageOf<P> extends ListPage ? P : never }[keyof paths];

/** The member of a list's response that holds the entries. */
type EntriesOf<P extends ListPath> = {
  [K in keyof PageOf<P>]-?: PageOf<P>[K] extends readonly (infer Entry)[] ? [K, Entry] : never;
}[keyof PageOf<P>];

/** The number of entries that are requested for each page. */
const PAGE = 200;

/** Fetches every page of a list, and returns the entries of all pages. `names` are the values of the parameters in the path. */
export async function allOf<P extends ListPath>(
  path: P,
  member: EntriesOf<P>[0],
  names: Record<string, string> = {},
): Promise<EntriesOf<P>[1][]> {
  // TypeScript cannot compute the types of openapi-fetch for a path that is a type parameter.
  const get = api.GET as unknown as (path: string, init: object) => Promise<{ data: ListPage; response: Response }>;
  const entries: EntriesOf<P>[1][] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await take(get(path, { params: { path: names, query } }));
    entries.push(...(page as Record<EntriesOf<P>[0], EntriesOf<P>[1][]>)[member]);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return entries;
}
