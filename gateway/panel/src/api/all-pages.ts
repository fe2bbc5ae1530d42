/** One page of a list of the API. */
interface PageOf {
  next_cursor?: string;
}

/** How many entries a page has at the most. */
const PAGE = 200;

/** Fetches every page of a list and returns the entries of all of them. */
export async function allPages<P extends PageOf, T>(
  fetchPage: (query: { limit: number; cursor?: string }) => Promise<P>,
  entriesOf: (page: P) => readonly T[],
): Promise<T[]> {
  const entries: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await fetchPage({ limit: PAGE, ...(cursor !== undefined && { cursor }) });
    entries.push(...entriesOf(page));
    cursor = page.next_cursor;
  } while (cursor !== undefined);
  return entries;
}
