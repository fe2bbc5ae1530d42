import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../../api/all-of.ts';
import type { Schemas } from '../../../api/client.ts';

export type Crash = Schemas['Crash'];

/** The crashes of apps on a phone, newest first. An event of the account has them fetched again. */
export const crashesQuery = (name: string) =>
  queryOptions({
    queryKey: ['crashes', name],
    queryFn: () => allOf('/v1/devices/{name}/crashes', 'crashes', { name }),
  });
