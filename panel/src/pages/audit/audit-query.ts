import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, ApiFault, faultOf, type Schemas, take } from '../../api/client.ts';

export type AuditEntry = Schemas['AuditEntry'];

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
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/v1/audit', {
          params: { query: { ...conditionsOf(filter), limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) } },
        }),
      ),
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

/** Fetches all entries that pass a filter as a file. */
export async function auditFile(filter: AuditFilter, type: FileType): Promise<Blob> {
  const url = `/v1/audit?${new URLSearchParams(conditionsOf(filter)).toString()}`;
  const response = await fetch(url, { headers: { accept: FILE_TYPES[type] } }).catch((cause: unknown) => {
    throw new ApiFault(0, 'network', `The service cannot be reached: ${String(cause)}`, undefined);
  });
  if (!response.ok) throw faultOf(response, await response.json().catch(() => undefined));
  return response.blob();
}
