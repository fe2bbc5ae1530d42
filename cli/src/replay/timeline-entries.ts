import type { Entry } from '../../../replay/timeline/entry.js';
import type { CloudPhone } from '../../../client/src/cloud-phone.js';
import { devicePath } from '../service/list-items.js';

/** Most entries that one replay is made of; those of a long working day. */
export const MAX_ENTRIES = 5_000;

/** The largest page of a timeline. */
const PAGE_ENTRIES = 200;

/** Which entries of a timeline are wanted. */
export interface EntryFilter {
  /** RFC 3339. */
  from?: string | undefined;
  to?: string | undefined;
  /** Name of the key that made them. */
  key?: string | undefined;
}

/** Returns the newest entries of a phone's timeline, oldest first, at most `MAX_ENTRIES`. `isCut`: there are older ones. */
export async function entriesOf(
  phone: CloudPhone,
  name: string,
  filter: EntryFilter,
  signal: AbortSignal,
): Promise<{ entries: Entry[]; isCut: boolean }> {
  const found: Entry[] = [];
  let cursor: string | undefined;
  do {
    const { entries, next } = await pageOf(phone, name, filter, { cursor, signal });
    found.push(...entries);
    cursor = next;
  } while (cursor !== undefined && found.length < MAX_ENTRIES);
  return { entries: found.slice(0, MAX_ENTRIES).reverse(), isCut: cursor !== undefined };
}

/** Returns one page of entries, newest first. */
export async function pageOf(
  phone: CloudPhone,
  name: string,
  { from, to, key }: EntryFilter,
  { cursor, signal }: { cursor?: string | undefined; signal: AbortSignal },
): Promise<{ entries: Entry[]; next: string | undefined }> {
  const words = Object.entries({ from, to, key, cursor, limit: String(PAGE_ENTRIES) });
  const given = words.filter((word): word is [string, string] => word[1] !== undefined);
  const path = devicePath(name, `/timeline?${new URLSearchParams(given).toString()}`);
  const response = await phone.request('GET', path, { signal });
  const page = (await response.json()) as { entries: Entry[]; next_cursor?: string };
  return { entries: page.entries, next: page.next_cursor };
}
