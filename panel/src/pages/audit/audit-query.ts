import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, faultOf, fetchOrExplain, type Schemas, take } from '../../api/client.ts';

export type AuditEntry = Schemas['AuditEntry'];
type AuditPage = Schemas['ListAuditResult'];

/** Which entries are shown; an empty text is no condition. */
export interface AuditFilter {
  /** The first and the last day, as `2026-11-28`. */
  from: string;
  to: string;
  /** Id of a member, a key, a share or a group. */
  actor: string;
  action: string;
  device: string;
}

export const EVERYTHING: AuditFilter = { from: '', to: '', actor: '', action: '', device: '' };

/** How many entries are fetched at a time; older ones come on request. */
const PAGE = 50;

/** Returns the query of the entries that pass a filter, newest first. */
export function auditQuery(filter: AuditFilter) {
  return infiniteQueryOptions({
    queryKey: ['audit', filter],
    initialPageParam: '',
    queryFn: async ({ pageParam }): Promise<AuditPage> => {
      const query = { ...conditionsOf(filter), limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) };
      // Without an Accept header of its own the call returns JSON, whatever other types it has.
      return (await take(api.GET('/v1/audit', { params: { query } }))) as AuditPage;
    },
    getNextPageParam: ({ next_cursor: next }) => next,
  });
}

/** Returns the filter as the API has it. Days are those of the person's time zone, and the last one is included. */
export function conditionsOf({ from, to, ...texts }: AuditFilter): Record<string, string> {
  const given = Object.entries(texts).map(([name, text]) => [name, text.trim()] as const);
  return {
    ...Object.fromEntries(given.filter(([, text]) => text !== '')),
    ...(from !== '' && { from: new Date(`${from}T00:00:00`).toISOString() }),
    ...(to !== '' && { to: dayAfter(to).toISOString() }),
  };
}

function dayAfter(day: string): Date {
  const start = new Date(`${day}T00:00:00`);
  return new Date(start.getFullYear(), start.getMonth(), start.getDate() + 1);
}

/** The forms of a file with entries, by their type. */
export const FILE_TYPES = { csv: 'text/csv', jsonl: 'application/x-ndjson' } as const;
export type FileType = keyof typeof FILE_TYPES;

/** How many entries one response of a file has at most. */
const FILE_PAGE = 10_000;

/** Fetches all entries that pass a filter as a file, newest first, in as many responses as it takes. */
export async function auditFile(filter: AuditFilter, type: FileType): Promise<Blob> {
  const parts: string[] = [];
  let before: string | undefined;
  do {
    const text = await filePage(filter, type, before);
    // Each table begins with the names of its columns, which the file has once.
    parts.push(type === 'csv' && parts.length > 0 ? text.replace(/^.*\r?\n/, '') : text);
    const ids = idsIn(text, type);
    before = ids.length < FILE_PAGE ? undefined : ids.at(-1);
  } while (before !== undefined);
  return new Blob(parts, { type: FILE_TYPES[type] });
}

/** Returns the ids of the entries of a part, in their order. A line of a table begins with the id and the time. */
export function idsIn(text: string, type: FileType): string[] {
  const line = type === 'csv' ? /^(\d+),\d{4}-\d\d-/gm : /^\{"id": ?"(\d+)"/gm;
  return [...text.matchAll(line)].map(([, id = '']) => id);
}

async function filePage(filter: AuditFilter, type: FileType, before: string | undefined): Promise<string> {
  const query = { ...conditionsOf(filter), limit: String(FILE_PAGE), ...(before !== undefined && { before }) };
  const url = new URL(`/v1/audit?${new URLSearchParams(query).toString()}`, location.href);
  const response = await fetchOrExplain(new Request(url, { headers: { accept: FILE_TYPES[type] } }));
  if (!response.ok) throw faultOf(response, await response.json().catch(() => undefined));
  return response.text();
}
