import { infiniteQueryOptions } from '@tanstack/react-query';
import { api, type Schemas, take } from '../api/client.ts';

export type Delivery = Schemas['Delivery'];

/** Deliveries that come at a time. */
const PAGE = 50;

/** How often the list is polled, ms: often while something is on its way. */
const BUSY_POLL_MS = 1_000;
const POLL_MS = 5_000;

/** The deliveries of all keys, newest first. */
export function deliveriesQuery(state: Delivery['state'] | undefined) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', state ?? 'all'],
    initialPageParam: '',
    queryFn: ({ pageParam }) => {
      const query = {
        limit: PAGE,
        ...(state !== undefined && { state }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return take(api.GET('/v1/webhooks/deliveries', { params: { query } }));
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ deliveries }) => deliveries.some((one) => one.state === 'pending')) === true
        ? BUSY_POLL_MS
        : POLL_MS,
  });
}
