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

/** The members of a list's response that hold entries, with the type of each. */
type EntriesOf<P extends ListPath> = {
  [K in keyof PageOf<P>]-?: PageOf<P>[K] extends readonly (infer Entry)[] ? [K, Entry] : never;
}[keyof PageOf<P>];

/** An entry of a member of a list's response. */
type EntryOf<P extends ListPath, M> = Extract<EntriesOf<P>, [M, unknown]>[1];

/** The number of entries that are requested for each page. */
const PAGE = 200;

/** Fetches every page of a list, and returns the entries of all pages. `names` are the values of the parameters in the path. */
export async function allOf<P extends ListPath, M extends EntriesOf<P>[0]>(
  path: P,
  member: M,
  names: Record<string, string> = {},
): Promise<EntryOf<P, M>[]> {
  // TypeScript cannot compute the types of openapi-fetch for a path that is a type parameter.
  const get = api.GET as unknown as (path: string, init: object) => Promise<{ data: ListPage; response: Response }>;
  const entries: EntryOf<P, M>[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
    const page = await take(get(path, { params: { path: names, query } }));
    entries.push(...(page as unknown as Record<M, EntryOf<P, M>[]>)[member]);
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return entries;
}
