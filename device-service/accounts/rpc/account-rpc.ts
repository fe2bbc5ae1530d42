import type { HandlerContext, ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../../kit/errors/api-error.js';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { AccountService } from '../../../proto/gen/cloudphone/access/v1/account_service_pb.js';
import type { SessionService } from '../../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import { accountMessage } from '../people/account-message.js';
import { changePassword } from '../people/change-password.js';
import { listSessions } from '../people/list-sessions.js';
import { signIn } from '../people/sign-in.js';
import { createAccount } from '../people/sign-up.js';
import { accountNow } from '../billing/account-now.js';
import { SESSION_LIFETIME_S } from '../limits.js';
import type { AccountsContext } from '../accounts-context.js';

/** Adapts the operations of accounts to their rpcs. */
export function accountRpc(parts: AccountsContext): ServiceImpl<typeof AccountService> {
  const { accounts, ledger, throttle } = parts;
  return {
    signUp: async (request, context) => {
      if (!parts.signUpOpen) {
        throw new ApiError('forbidden', 'Sign-up is closed here. Ask the operator for an account.');
      }
      throttle.signUp(addressOf(context));
      const account = await createAccount(parts, request, addressOf(context));
      return { account: await accountMessage(parts, account, await ledger.standing(account._id)) };
    },
    getAccount: async (_request, context) => {
      const { accountId } = callerOf(context);
      const [account, { standing }] = await Promise.all([accounts.find(accountId), accountNow(parts, accountId)]);
      if (account === null) throw new Error(`a caller of account ${accountId}, which does not exist`);
      return { account: await accountMessage(parts, account, standing) };
    },
    changePassword: async (request, context) => {
      const { accountId, keyId } = callerOf(context);
      await changePassword(parts, { accountId, sessionId: keyId, address: addressOf(context) }, request);
      return {};
    },
  };
}

export function sessionRpc(parts: AccountsContext): ServiceImpl<typeof SessionService> {
  return {
    signIn: async (request, context) => {
      const { account, token } = await signIn(parts, request, addressOf(context));
      return {
        account: await accountMessage(parts, account, (await accountNow(parts, account._id)).standing),
        cookie: { token, maxAgeS: SESSION_LIFETIME_S },
      };
    },
    signOut: async ({ everywhere }, context) => {
      const { keyId, accountId } = callerOf(context);
      await (everywhere === true ? parts.sessions.endAll(accountId) : parts.sessions.end(accountId, keyId));
      parts.forgetCallers();
      return { cookie: { token: '', maxAgeS: 0 } };
    },
    listSessions: async (request, context) => {
      const { accountId, keyId } = callerOf(context);
      return listSessions(parts, accountId, keyId, request);
    },
    endSession: async ({ id }, context) => {
      if (!(await parts.sessions.end(callerOf(context).accountId, id))) {
        throw new ApiError('not_found', `There is no session "${id}". GET /v1/sessions lists those that are open.`);
      }
      parts.forgetCallers();
      return {};
    },
  };
}

/** Returns the client's address as the edge saw it. All direct clients of the gRPC port count as one. */
function addressOf(context: HandlerContext): string {
  return callOf(context).clientAddress ?? 'direct';
}
