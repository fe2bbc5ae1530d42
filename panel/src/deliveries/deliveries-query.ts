import { infiniteQueryOptions, queryOptions, useMutation, useQueryClient } from '@tanstack/react-query';
import { api, type Schemas, take } from '../api/client.ts';

export type Delivery = Schemas['Delivery'];

/** The number of deliveries that are fetched at a time. */
const PAGE = 50;

/** How often deliveries are polled, ms. They are polled more often while one is on its way. */
const BUSY_POLL_MS = 1_000;
const POLL_MS = 5_000;

/** The deliveries to list. An absent field does not filter. */
export interface DeliveryFilter {
  state?: Delivery['state'] | undefined;
  keyId?: string | undefined;
}

/** The deliveries to webhooks, newest first. */
export function deliveriesQuery({ state, keyId }: DeliveryFilter) {
  return infiniteQueryOptions({
    queryKey: ['deliveries', state ?? 'all', keyId ?? 'all'],
    initialPageParam: '',
    queryFn: ({ pageParam }) => {
      const query = {
        limit: PAGE,
        ...(state !== undefined && { state }),
        ...(keyId !== undefined && { key_id: keyId }),
        ...(pageParam !== '' && { cursor: pageParam }),
      };
      return take(api.GET('/v1/webhooks/deliveries', { params: { query } }));
    },
    getNextPageParam: ({ next_cursor }) => next_cursor,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ deliveries }) => deliveries.some(isPending)) === true ? BUSY_POLL_MS : POLL_MS,
  });
}

/** One delivery with its payload and the receiver's responses. */
export function deliveryQuery(id: string) {
  return queryOptions({
    queryKey: ['deliveries', 'one', id],
    queryFn: () => take(api.GET('/v1/webhooks/deliveries/{id}', { params: { path: { id } } })),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isPending(data.delivery) ? BUSY_POLL_MS : POLL_MS),
  });
}

/** Sends a finished delivery once more. */
export function useRedelivery() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (id: string) => take(api.POST('/v1/webhooks/deliveries/{id}/redeliver', { params: { path: { id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ['deliveries'] }),
  });
}

function isPending({ state }: Delivery): boolean {
  return state === 'pending';
}
