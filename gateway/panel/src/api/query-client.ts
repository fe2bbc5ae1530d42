import { QueryClient } from '@tanstack/react-query';
import { ApiFault } from './client.ts';

/** Its errors of 401 are its own answer: nobody is signed in. */
const ACCOUNT = JSON.stringify(['account']);

/** What is worth trying again by itself: the service or the way to it was away. */
function isPassing(error: unknown): boolean {
  return error instanceof ApiFault && [0, 429, 502, 503, 504].includes(error.status);
}

/** The cache of what the API responded. A response of 401 makes the session unknown, so that the sign-in page is shown. */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { retry: (count, error) => count < 2 && isPassing(error), staleTime: 1_000 },
      mutations: { retry: false, onError: signOutOn401 },
    },
  });
  client.getQueryCache().subscribe(({ type, query }) => {
    if (type === 'updated' && query.queryHash !== ACCOUNT) signOutOn401(query.state.error);
  });
  function signOutOn401(error: unknown): void {
    if (!(error instanceof ApiFault) || error.status !== 401) return;
    if (client.getQueryData(['account']) !== null) client.setQueryData(['account'], null);
  }
  return client;
}
