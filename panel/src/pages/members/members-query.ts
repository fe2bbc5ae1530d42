import { queryOptions } from '@tanstack/react-query';
import { allOf } from '../../api/all-of.ts';
import type { Schemas } from '../../api/client.ts';

export type Member = Schemas['Member'];
export type Invitation = Schemas['Invitation'];

/** How often the lists are polled, ms, as others may change them. */
const POLL_MS = 30_000;

/** The members of the account. */
export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: () => allOf('/v1/account/members', 'members'),
  refetchInterval: POLL_MS,
});

/** The invitations that nobody has accepted yet, newest first. */
export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: () => allOf('/v1/account/invitations', 'invitations'),
  refetchInterval: POLL_MS,
});
