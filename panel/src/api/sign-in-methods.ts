import { queryOptions } from '@tanstack/react-query';
import { api, take } from './client.ts';

/** The ways to sign in here. They change only when the service restarts. */
export const methodsQuery = queryOptions({
  queryKey: ['session-methods'],
  queryFn: () => take(api.GET('/v1/session/methods')),
  staleTime: 300_000,
});
