import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Account, api, ApiFault, take } from '../api/client.ts';

/** The signed-in account; null when nobody is signed in. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async (): Promise<Account | null> => {
    try {
      return (await take(api.GET('/v1/account'))).account;
    } catch (error) {
      if (error instanceof ApiFault && error.status === 401) return null;
      throw error;
    }
  },
  // Also how a session that ended elsewhere is noticed, where no event can say so.
  refetchInterval: 10_000,
});

/** Returns the signed-in account; for pages, which are shown only to people who are signed in. */
export function useAccount(): Account {
  const { data } = useQuery(accountQuery);
  if (data === undefined || data === null) throw new Error('this page is shown without an account');
  return data;
}
