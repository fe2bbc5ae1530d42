import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../kit/errors.js';
import { callerOf, callOf } from '../../kit/rpc/context.js';
import type { AccountService } from '../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import type { SessionService } from '../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { accountMessage } from '../access/account-message.js';
import { SESSION_IDLE_S, signIn, type SignInParts } from '../access/sign-in.js';
import { createAccount } from '../access/sign-up.js';
import type { AccountNow } from '../billing/account-now.js';
import type { Ledger } from '../billing/ledger.js';

export interface AccountParts extends SignInParts {
  ledger: Ledger;
  accountNow: (accountId: string) => Promise<AccountNow>;
  /** Whether anyone may make an account. */
  signUpOpen: boolean;
  forgetCallers: () => void;
}

/** Unpack, call, pack. */
export function accountRpc(parts: AccountParts): ServiceImpl<typeof AccountService> {
  const { accounts, accountNow, ledger, throttle } = parts;
  return {
    signUp: async (request, context) => {
      if (!parts.signUpOpen) {
        throw new ApiError('forbidden', 'Sign-up is closed here. Ask the operator for an account.');
      }
      throttle.signUp(addressOf(context));
      const account = await createAccount(parts, request);
      return { account: accountMessage(account, await ledger.standing(account._id)) };
    },
    getAccount: async (_request, context) => {
      const { accountId } = callerOf(context);
      const [account, { standing }] = await Promise.all([accounts.find(accountId), accountNow(accountId)]);
      if (account === null) throw new Error(`a caller of account ${accountId}, which does not exist`);
      return { account: accountMessage(account, standing) };
    },
  };
}

export function sessionRpc(parts: AccountParts): ServiceImpl<typeof SessionService> {
  return {
    signIn: async (request, context) => {
      const { account, token } = await signIn(parts, request, addressOf(context));
      return {
        account: accountMessage(account, (await parts.accountNow(account._id)).standing),
        cookie: { token, maxAgeS: SESSION_IDLE_S },
      };
    },
    signOut: async ({ everywhere }, context) => {
      const { keyId, accountId } = callerOf(context);
      await (everywhere === true ? parts.sessions.endAll(accountId) : parts.sessions.end(keyId));
      parts.forgetCallers();
      return { cookie: { token: '', maxAgeS: 0 } };
    },
  };
}

/** The client's address as the edge saw it. All direct clients of the gRPC port count as one. */
function addressOf(context: HandlerContext): string {
  return callOf(context).clientAddress ?? 'direct';
}
