import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, take } from '../../../api/client.ts';

export type Share = Schemas['Share'];
export type Viewers = Schemas['Viewers'];

/** How often the number of viewers is fetched, ms. */
const VIEWERS_POLL_MS = 3_000;

/** The viewers who watch a running phone now, by share. */
export const viewersQuery = (name: string) =>
  queryOptions({
    queryKey: ['viewers', name],
    queryFn: async () => (await take(api.GET('/v1/devices/{name}/viewers', { params: { path: { name } } }))).viewers,
    refetchInterval: VIEWERS_POLL_MS,
  });

/** The shares of a phone that have not ended: at most 20, so one page. */
export const sharesQuery = (name: string) =>
  queryOptions({
    queryKey: ['shares', name],
    queryFn: async () => (await take(api.GET('/v1/devices/{name}/shares', { params: { path: { name } } }))).shares,
  });
