import { queryOptions } from '@tanstack/react-query';
import { createContext, useContext } from 'react';
import { type Account, api, ApiFault, type Schemas, take } from './client.ts';

/** The account that the session is in, and the signed-in person in it. */
export interface SignedIn extends Account {
  /** Absent: the service is older than members, and its one person may do everything. */
  member?: Schemas['Member'];
  /** What the account's owners and admins chose. */
  settings?: Schemas['AccountSettings'];
}

/** The signed-in account; null when nobody is signed in. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: async (): Promise<SignedIn | null> => {
    try {
      const { account, member, settings } = await take(api.GET('/v1/account'));
      return { ...account, ...(member !== undefined && { member }), ...(settings !== undefined && { settings }) };
    } catch (error) {
      if (error instanceof ApiFault && error.status === 401) return null;
      throw error;
    }
  },
  // The account is fetched again to notice a session that ended elsewhere, or a role that changed, as these cause no event.
  refetchInterval: 10_000,
});

/**
 * The account that the panel is drawn for; undefined on public pages. Pages take the account from here, and not from the cache. The cache
 * says that a session has ended before the sign-in page is there, and the page may be drawn once more in between.
 */
export const AccountContext = createContext<SignedIn | undefined>(undefined);

/** Returns the signed-in account. It is for pages, which are shown only to people who are signed in. */
export function useAccount(): SignedIn {
  const account = useContext(AccountContext);
  if (account === undefined) throw new Error('this page is shown without an account');
  return account;
}

/** Returns the e-mail address of the signed-in person. */
export function emailOf({ email, member }: Pick<SignedIn, 'email' | 'member'>): string {
  return member?.email ?? email;
}

/** Returns the identity of the signed-in person in this account. Returns the empty text on public pages. */
export function useIdentity(): string {
  return identityOf(useContext(AccountContext)) ?? '';
}

/** Returns the identity of a person in an account, which no other has; undefined where nobody is signed in. */
export function identityOf(account: Pick<SignedIn, 'email' | 'member'> | null | undefined): string | undefined {
  if (account === null || account === undefined) return undefined;
  return account.member === undefined ? account.email : `${account.email} ${account.member.id}`;
}
