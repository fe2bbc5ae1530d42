import { queryOptions } from '@tanstack/react-query';
import { api, type Schemas, take } from '../../api/client.ts';

export type SecondFactor = Schemas['SecondFactor'];

/** The second factors of the signed-in person, and how many recovery codes are left. */
export const factorsQuery = queryOptions({
  queryKey: ['second-factors'],
  queryFn: () => take(api.GET('/v1/account/second-factors')),
});

/** The key of calls that make a second factor count. Their responses have the recovery codes. */
export const CONFIRM_FACTOR = ['confirm-factor'];

/** Names of the kinds, as people know them. */
export const KIND_WORDS: Record<SecondFactor['kind'], string> = { totp: 'App with codes', passkey: 'Passkey' };
