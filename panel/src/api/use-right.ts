import { useContext } from 'react';
import { AccountContext } from './account.ts';
import { hasRight, type Right, type Role } from './rights.ts';

/** Returns the role of the signed-in person in the account. Public pages offer what a viewer has. */
export function useRole(): Role {
  const account = useContext(AccountContext);
  return account === undefined ? 'viewer' : (account.member?.role ?? 'owner');
}

/** Returns whether the signed-in person has a right in the account. */
export function useRight(right: Right): boolean {
  return hasRight(useRole(), right);
}
