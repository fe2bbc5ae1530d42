import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../../kit/errors/api-error.js';
import { callerOf } from '../../../kit/rpc/context.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { SessionService } from '../../../proto/gen/cloudphone/access/v1/session_service_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { SESSION_LIFETIME_S } from '../limits.js';
import { requireSelf } from '../members/self.js';
import { listOwnAccounts, switchAccount } from '../people/own-accounts.js';
import { listSessions } from '../people/list-sessions.js';
import { assertPasswordSignIn, signInMethods } from '../people/sign-in-methods.js';
import { signIn } from '../people/sign-in.js';
import { accountMessageOf } from './account-rpc.js';
import { memberNoted } from '../audit/member-noted.js';
import { noteAccount } from '../audit/noted-account.js';
import { addressOf } from './client-address.js';

/** Adapts the operations of sessions to their rpcs. */
export function sessionRpc(parts: AccountsContext): ServiceImpl<typeof SessionService> {
  return {
    signIn: async (request, context) => {
      // It comes first: what is refused here is not throttled, and must not fill somebody's audit log.
      assertPasswordSignIn(parts);
      noteAccount(context, () => memberNoted(parts, request.email));
      const signedIn = await signIn(parts, request, addressOf(context));
      if ('challenge' in signedIn) return { secondFactor: signedIn.challenge };
      const { account, token } = signedIn;
      return {
        account: await accountMessageOf(parts, account._id),
        cookie: { token, maxAgeS: SESSION_LIFETIME_S },
      };
    },
    listSignInMethods: () => Promise.resolve(signInMethods(parts)),
    switchAccount: async (request, context) => {
      const { keyId, personId } = await requireSession(parts, callerOf(context));
      await switchAccount(parts, personId, keyId, request.account);
      return { account: await accountMessageOf(parts, request.account) };
    },
    listOwnAccounts: async (_request, context) => {
      const { accountId } = callerOf(context);
      const { keyId, personId } = await requireSession(parts, callerOf(context));
      return { accounts: await listOwnAccounts(parts, personId, keyId, accountId) };
    },
    signOut: async ({ everywhere }, context) => {
      const { keyId, personId } = await requireSession(parts, callerOf(context));
      await (everywhere === true ? parts.sessions.endAll(personId) : parts.sessions.end(personId, keyId));
      parts.forgetCallers();
      return { cookie: { token: '', maxAgeS: 0 } };
    },
    listSessions: async (request, context) => {
      const { keyId, personId } = await requireSession(parts, callerOf(context));
      return listSessions(parts, personId, keyId, request);
    },
    endSession: async ({ id }, context) => {
      const { personId } = await requireSession(parts, callerOf(context));
      if (!(await parts.sessions.end(personId, id))) {
        throw new ApiError('not_found', `There is no session "${id}". GET /v1/sessions lists those that are open.`);
      }
      parts.forgetCallers();
      return {};
    },
  };
}

/** Returns the session of the caller, and its person. */
async function requireSession(parts: AccountsContext, caller: Caller): Promise<{ keyId: string; personId: string }> {
  const { person } = await requireSelf(parts, caller);
  return { keyId: caller.keyId, personId: person._id };
}
