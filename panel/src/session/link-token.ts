import { useSyncExternalStore } from 'react';

/** What the fragment of a mailed or copied link may have: letters and digits, with the prefix of its kind. */
const TOKEN = /^#([a-z]{2,4}_[A-Za-z0-9_-]{16,96})$/;

/** Returns the token in the fragment of an address; undefined where it is not complete. */
export function tokenIn(fragment: string): string | undefined {
  return TOKEN.exec(fragment)?.[1];
}

/** Returns the token of the link that the page was opened with. It stays in the fragment, which browsers send to no server. */
export function useLinkToken(): string | undefined {
  return useSyncExternalStore(onFragment, () => tokenIn(location.hash));
}

function onFragment(notify: () => void): () => void {
  addEventListener('hashchange', notify);
  return () => removeEventListener('hashchange', notify);
}
