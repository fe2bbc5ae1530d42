import { ApiError } from '../../../kit/errors/api-error.js';
import type { AccountStore } from '../../store/accounts.js';

/**
 * Throws unauthorized where the operator has disabled or deleted the account. Call it only for a caller whose key or session is good,
 * because the text reveals that the account exists.
 */
export async function assertActive(accounts: AccountStore, accountId: string): Promise<void> {
  if (!(await accounts.findActive([accountId])).has(accountId)) throw accountDisabled();
}

export function accountDisabled(): ApiError {
  return new ApiError('unauthorized', 'The operator has disabled this account. Ask the operator of the service.');
}
