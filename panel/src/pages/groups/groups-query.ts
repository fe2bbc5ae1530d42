import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, take } from '../../api/client.ts';

/** Groups that are shown at a time; older ones come on request. */
const PAGE = 50;

/** How often the list is polled, ms: often while something runs. */
const BUSY_POLL_MS = 1_000;
const POLL_MS = 10_000;

/** The groups of the account, newest first. */
export const groupsQuery = infiniteQueryOptions({
  queryKey: ['groups'],
  initialPageParam: '',
  queryFn: ({ pageParam }) =>
    take(api.GET('/v1/groups', { params: { query: { limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) } } })),
  getNextPageParam: ({ next_cursor }) => next_cursor,
  refetchInterval: ({ state: { data } }) =>
    data?.pages.some(({ groups }) => groups.some(({ state }) => state === 'running')) === true ? BUSY_POLL_MS : POLL_MS,
});
