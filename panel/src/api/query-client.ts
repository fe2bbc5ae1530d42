import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { identityOf, type SignedIn } from './account.ts';
import { ApiFault } from './client.ts';

const ACCOUNT = 'account';

/** Whether a query may succeed when it is repeated: the service could not be reached, or has refused it only for now. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiFault && [0, 429, 502, 503, 504].includes(error.status);
}

/**
 * Creates the cache of the API's responses. A response of 401 makes the account null, so that the sign-in page is shown. When the account
 * or the person changes, everything else is dropped, so that nobody sees the data of the one before.
 */
export function createQueryClient(): QueryClient {
  const signOutOn401 = (error: unknown): void => {
    if (error instanceof ApiFault && error.status === 401) client.setQueryData([ACCOUNT], null);
  };
  const client = new QueryClient({
    // These callbacks are not among the default options, where the callbacks of a single query or mutation would replace them.
    queryCache: new QueryCache({ onError: signOutOn401 }),
    mutationCache: new MutationCache({ onError: signOutOn401 }),
    defaultOptions: { queries: { retry: (count, error) => count < 2 && isPassing(error), staleTime: 1_000 } },
  });
  let identity: string | undefined;
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type !== 'updated' || query.queryHash !== JSON.stringify([ACCOUNT])) return;
    const now = identityOf(query.state.data as SignedIn | null | undefined);
    if (now === identity) return;
    identity = now;
    client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== ACCOUNT });
  });
  return client;
}
