import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, faultOf, fetchOrExplain, type Schemas, take } from '../../api/client.ts';

/** Entries that come at a time: on the page, and in one request for the file. */
const PAGE = 100;
const TABLE_PAGE = 10_000;

/** The charges and credits of the account, newest first. */
export const ledgerQuery = infiniteQueryOptions({
  queryKey: ['ledger'],
  initialPageParam: '',
  queryFn: ({ pageParam }) => {
    const query = { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) };
    const page = take(api.GET('/v1/account/ledger', { params: { query } }));
    // Not the table, which only its Accept header asks for.
    return page as Promise<Schemas['ListLedgerResult']>;
  },
  getNextPageParam: ({ next_cursor }) => next_cursor,
});

/** Returns the whole ledger as CSV: one page after the other, as long as they are full. */
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
