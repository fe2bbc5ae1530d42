import { queryOptions } from '@tanstack/react-query';
import { allPages } from '../../api/all-pages.ts';
import { api, type Schemas, take } from '../../api/client.ts';

export type ApiKey = Schemas['ApiKey'];

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () =>
    allPages(
      (query) => take(api.GET('/v1/keys', { params: { query } })),
      (page) => page.keys,
    ),
  refetchInterval: 30_000,
});
