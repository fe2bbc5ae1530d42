import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { api, faultOf, fetchOrExplain, type Schemas, take } from '../../api/client.ts';

export type LedgerDay = Schemas['LedgerDay'];
export type LedgerSum = Schemas['LedgerSum'];

/** The number of days that are fetched at a time. */
const DAYS = 31;
/** The number of entries in one request for the CSV file, or for the minutes of a day. */
const TABLE_PAGE = 10_000;

/** How often the newest days are fetched again, ms, as the meter charges each minute. */
const POLL_MS = 30_000;

/** The days of the account's ledger, newest first, each with the sums of its phones. */
export const ledgerQuery = infiniteQueryOptions({
  queryKey: ['ledger'],
  initialPageParam: '',
  queryFn: ({ pageParam }) => {
    const query = { limit: DAYS, ...(pageParam !== '' && { cursor: pageParam }) };
    return take(api.GET('/v1/account/ledger/days', { params: { query } }));
  },
  getNextPageParam: ({ next_cursor }) => next_cursor,
  refetchInterval: POLL_MS,
});

/** A time without a pause in which a phone was charged. */
export interface ChargedRun {
  /** The time at which its first minute began; `last` is that of its last minute. */
  first: string;
  last: string;
  minutes: number;
}

const MINUTE_MS = 60_000;

/** Returns the query of the runs in which the phones of a name were charged on a day, newest first. */
export function minutesQuery(day: string, device: string) {
  return queryOptions({
    queryKey: ['ledger', 'minutes', day, device],
    queryFn: async () => {
      const query = { day, device, limit: TABLE_PAGE };
      // The response is JSON. The table comes only for the Accept header `text/csv`.
      const page = (await take(api.GET('/v1/account/ledger', { params: { query } }))) as Schemas['ListLedgerResult'];
      return runsOf(page.entries.filter(({ kind }) => kind === 'minute').map(({ at }) => at));
    },
  });
}

/** Returns the runs that charged minutes make up, newest first. The minutes may be in any order. */
export function runsOf(minutes: readonly string[]): ChargedRun[] {
  const runs: ChargedRun[] = [];
  for (const at of minutes.toSorted().reverse()) {
    const run = runs.at(-1);
    const isNext = run !== undefined && Date.parse(run.first) - Date.parse(at) === MINUTE_MS;
    if (isNext) Object.assign(run, { first: at, minutes: run.minutes + 1 });
    else runs.push({ first: at, last: at, minutes: 1 });
  }
  return runs;
}

/** Returns the whole ledger as CSV. Pages are fetched one after the other, as long as they are full. */
export async function ledgerTable(): Promise<Blob> {
  const parts: string[] = [];
  let before = '';
  for (;;) {
    const query = new URLSearchParams({ limit: String(TABLE_PAGE), ...(before !== '' && { before }) });
    const request = new Request(`/v1/account/ledger?${query.toString()}`, { headers: { Accept: 'text/csv' } });
    const response = await fetchOrExplain(request);
    if (!response.ok) throw faultOf(response, await response.json().catch(() => undefined));
    const [header = '', ...lines] = (await response.text()).split('\r\n').filter((line) => line !== '');
    parts.push(...(parts.length === 0 ? [header, ...lines] : lines));
    before = /^\d+/.exec(lines.at(-1) ?? '')?.[0] ?? '';
    if (lines.length < TABLE_PAGE || before === '') break;
  }
  return new Blob([`${parts.join('\r\n')}\r\n`], { type: 'text/csv' });
}
