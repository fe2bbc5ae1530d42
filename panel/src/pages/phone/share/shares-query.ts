import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, take } from '../../../api/client.ts';

export type Share = Schemas['Share'];

/** The shares of a phone that have not ended: at most 20, so one page. */
export const sharesQuery = (name: string) =>
  queryOptions({
    queryKey: ['shares', name],
    queryFn: async () => (await take(api.GET('/v1/devices/{name}/shares', { params: { path: { name } } }))).shares,
  });
