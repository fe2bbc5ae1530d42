import { queryOptions } from '@tanstack/react-query';
import { pollWithoutEvents } from '../../api/account-events.ts';
import { allOf } from '../../api/all-of.ts';
import { api, type Schemas, take } from '../../api/client.ts';

export type Pool = Schemas['Pool'];
export type PoolBody = Schemas['PutPoolBody'];

/** How often pools are polled, ms: more often while no events come. Not every change of a pool has an event. */
const POLL_MS = 5_000;

/** The pools of the account, by name. */
export const poolsQuery = queryOptions({
  queryKey: ['pools'],
  queryFn: () => allOf('/v1/pools', 'pools'),
  refetchInterval: () => pollWithoutEvents(POLL_MS),
});

/** One pool. */
export const poolQuery = (name: string) =>
  queryOptions({
    queryKey: ['pools', name],
    queryFn: async () => (await take(api.GET('/v1/pools/{name}', { params: { path: { name } } }))).pool,
    refetchInterval: POLL_MS,
  });

/** Makes a pool, or changes it as a whole. */
export const putPool = (name: string, body: PoolBody) =>
  take(api.PUT('/v1/pools/{name}', { params: { path: { name } }, body }));
