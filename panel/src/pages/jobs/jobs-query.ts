import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, type Job, take } from '../../api/client.ts';

export interface JobFilter {
  device?: string;
  state?: Job['state'];
}

/** The number of jobs that are fetched at a time; older ones come on request. */
const PAGE = 50;

/** How often the list is polled, ms. It is polled more often while a job runs. */
const BUSY_POLL_MS = 1_000;
const POLL_MS = 10_000;

/** The jobs of the account, newest first. */
export function jobsQuery(filter: JobFilter) {
  return infiniteQueryOptions({
    queryKey: ['jobs', filter],
    initialPageParam: '',
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/v1/jobs', {
          params: { query: { ...filter, limit: PAGE, ...(pageParam !== '' && { cursor: pageParam }) } },
        }),
      ),
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ jobs }) => jobs.some(({ state }) => state === 'running')) === true ? BUSY_POLL_MS : POLL_MS,
  });
}
