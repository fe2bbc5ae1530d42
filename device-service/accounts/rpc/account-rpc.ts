import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../../kit/errors/api-error.js';
import { callerOf } from '../../../kit/rpc/context.js';
import type { Account } from '../../../proto/gen/cloudphone/access/v1/account_pb.js';
import type { AccountService } from '../../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import type { AccountDocument } from '../../store/accounts.js';
import type { AccountsContext } from '../accounts-context.js';
import { accountNow } from '../billing/account-now.js';
import { welcomeByMail } from '../mail-flows/verify-email.js';
import { memberMessage } from '../members/member-message.js';
import { requireSelf, selfOf } from '../members/self.js';
import { accountMessage, settingsMessage } from '../people/account-message.js';
import { changePassword } from '../people/change-password.js';
import { assertPasswordSignIn } from '../people/sign-in-methods.js';
import { createAccount } from '../people/sign-up.js';
import { memberNoted } from '../audit/member-noted.js';
import { noteAccount } from '../audit/noted-account.js';
import { addressOf } from './client-address.js';

/** Adapts the operations of accounts to their rpcs. */
export function accountRpc(parts: AccountsContext): ServiceImpl<typeof AccountService> {
  const { ledger, throttle } = parts;
  return {
    signUp: async (request, context) => {
      if (!parts.signUpOpen) {
        throw new ApiError('forbidden', 'Sign-up is closed here. Ask the operator for an account.');
      }
      assertPasswordSignIn(parts);
      throttle.signUp(addressOf(context));
      const account = await createAccount(parts, request, addressOf(context));
      noteAccount(context, () => memberNoted(parts, account.email));
      await welcomeByMail(parts, account.email);
      return { account: await accountMessage(parts, account, await ledger.standing(account._id)) };
    },
    getAccount: async (_request, context) => {
      const caller = callerOf(context);
      const [account, self] = await Promise.all([accountMessageOf(parts, caller.accountId), selfOf(parts, caller)]);
      if (self === undefined) return { account };
      const settings = settingsMessage(await findAccount(parts, caller.accountId));
      return { account, member: memberMessage(self.member, self.person), settings };
    },
    changePassword: async (request, context) => {
      const caller = callerOf(context);
      const { person } = await requireSelf(parts, caller);
      await changePassword(parts, person, { sessionId: caller.keyId, address: addressOf(context) }, request);
      return {};
    },
    updateAccount: async ({ requireSecondFactor, mail }, context) => {
      const { accountId } = callerOf(context);
      await parts.accounts.setChoices(accountId, {
        ...(requireSecondFactor !== undefined && { requireSecondFactor }),
        ...(mail?.balance !== undefined && { 'mail.balance': mail.balance }),
        ...(mail?.attention !== undefined && { 'mail.attention': mail.attention }),
      });
      parts.forgetCallers();
      return { settings: settingsMessage(await findAccount(parts, accountId)) };
    },
  };
}

/** Returns an account as its people see it now. */
export async function accountMessageOf(parts: AccountsContext, accountId: string): Promise<Account> {
  const [account, { standing }] = await Promise.all([findAccount(parts, accountId), accountNow(parts, accountId)]);
  return accountMessage(parts, account, standing);
}

/** Returns the account of a caller. */
async function findAccount({ accounts }: AccountsContext, accountId: string): Promise<AccountDocument> {
  const account = await accounts.find(accountId);
  if (account === null) throw new Error(`a caller of account ${accountId}, which does not exist`);
  return account;
}
