import { queryOptions } from '@tanstack/react-query';
import { pollWithoutEvents } from '../api/account-events.ts';
import { allOf } from '../api/all-of.ts';
import type { Schemas } from '../api/client.ts';

export type Lease = Schemas['Lease'];

/** How often leases are polled while no events come, ms. A renewal has no event. */
const POLL_MS = 5_000;

/** The leases of the account, by phone. */
export const leasesQuery = queryOptions({
  queryKey: ['leases'],
  queryFn: () => allOf('/v1/leases', 'leases'),
  refetchInterval: () => pollWithoutEvents(POLL_MS),
});

/** What is done with a phone at the end of its lease. */
export const END_WORDS: Record<Lease['at_end'], string> = {
  keep: 'The phone stays as it is.',
  stop: 'The phone is stopped.',
  restore: 'The phone goes back to its first state.',
  delete: 'The phone is deleted.',
};
