import { useQuery } from '@tanstack/react-query';
import { accountQuery } from './account.ts';
import { hasRight, type Right, type Role } from './rights.ts';

/**
 * Returns the role of the signed-in person in the account. While a session ends, pages may be drawn once more without an account: they then
 * offer what a viewer has.
 */
export function useRole(): Role {
  const { data: account } = useQuery(accountQuery);
  if (account === undefined || account === null) return 'viewer';
  return account.member?.role ?? 'owner';
}

/** Returns whether the signed-in person has a right in the account. */
export function useRight(right: Right): boolean {
  return hasRight(useRole(), right);
}
