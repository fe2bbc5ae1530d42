import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Account, api, ApiFault, take } from './client.ts';

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
  // The account is fetched again to notice a session that ended elsewhere, as that causes no event.
  refetchInterval: 10_000,
});

/** Returns the signed-in account. It is for pages, which are shown only to people who are signed in. */
export function useAccount(): Account {
  const { data } = useQuery(accountQuery);
  if (data === undefined || data === null) throw new Error('this page is shown without an account');
  return data;
}
