import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../api/all-of.ts';
import type { Schemas } from '../../api/client.ts';

export type ApiKey = Schemas['ApiKey'];

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: () => allOf('/v1/keys', 'keys'),
  refetchInterval: 30_000,
});
