import { queryOptions } from '@tanstack/react-query';
import { allPages } from '../../api/all-pages.ts';
import { api, take } from '../../api/client.ts';

/** The models that phones can be made of. */
export const modelsQuery = queryOptions({
  queryKey: ['models'],
  queryFn: () =>
    allPages(
      (query) => take(api.GET('/v1/models', { params: { query } })),
      (page) => page.models,
    ),
  staleTime: 60_000,
});
