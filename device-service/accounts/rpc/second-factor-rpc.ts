import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { SecondFactorService } from '../../../proto/gen/cloudphone/access/v1/second_factor_service_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { memberNoted } from '../audit/member-noted.js';
import { noteAccount } from '../audit/noted-account.js';
import { beginFactor, requirePublicUrl } from '../factors/begin-factor.js';
import { openChallenge } from '../factors/challenge.js';
import { confirmFactor } from '../factors/confirm-factor.js';
import { confirmSession } from '../factors/confirm-session.js';
import { factorMessage } from '../factors/factor-message.js';
import { finishSignIn } from '../people/finish-sign-in.js';
import { assertPasswordSignIn } from '../people/sign-in-methods.js';
import { removeFactor, renewRecoveryCodes } from '../factors/remove-factor.js';
import { SESSION_LIFETIME_S } from '../limits.js';
import { requireSelf } from '../members/self.js';
import { accountMessageOf } from './account-rpc.js';
import { addressOf } from './client-address.js';

/** Adapts the operations of second factors to their rpcs. */
export function secondFactorRpc(parts: AccountsContext): ServiceImpl<typeof SecondFactorService> {
  return {
    listSecondFactors: async (_request, context) => {
      const caller = callerOf(context);
      const { person } = await requireSelf(parts, caller);
      const { list = [], recoveryCodes = [] } = person.secondFactors ?? {};
      const required = await parts.accounts.requiresSecondFactor(caller.accountId);
      return { secondFactors: list.map(factorMessage), recoveryCodesLeft: recoveryCodes.length, required };
    },
    createSecondFactor: async (request, context) => {
      const { person } = await requireSelf(parts, callerOf(context));
      return beginFactor(parts, person, request);
    },
    confirmSecondFactor: async (request, context) => {
      const caller = callerOf(context);
      const { person } = await requireSelf(parts, caller);
      const session = { sessionId: caller.keyId, address: addressOf(context) };
      const { factor, recoveryCodes } = await confirmFactor(parts, person, session, request);
      return { secondFactor: factorMessage(factor), recoveryCodes };
    },
    deleteSecondFactor: async ({ id }, context) => {
      const caller = callerOf(context);
      const { person } = await requireSelf(parts, caller);
      await removeFactor(parts, person, caller.accountId, id);
      return {};
    },
    renewRecoveryCodes: async (_request, context) => {
      const { person } = await requireSelf(parts, callerOf(context));
      return { recoveryCodes: await renewRecoveryCodes(parts, person) };
    },
    finishSignIn: async (request, context) => {
      const { account, token } = await finishSignIn(parts, request, addressOf(context), ({ email }) =>
        noteAccount(context, () => memberNoted(parts, email)),
      );
      return { account: await accountMessageOf(parts, account._id), cookie: { token, maxAgeS: SESSION_LIFETIME_S } };
    },
    beginPasskeySignIn: async (_request, context) => {
      assertPasswordSignIn(parts);
      requirePublicUrl(parts);
      parts.throttle.challenge(addressOf(context));
      return { secondFactor: await openChallenge(parts, undefined) };
    },
    confirmSession: async (request, context) => {
      const caller = callerOf(context);
      const { person } = await requireSelf(parts, caller);
      const session = { sessionId: caller.keyId, address: addressOf(context) };
      const challenge = await confirmSession(parts, person, session, request);
      return challenge === undefined ? { confirmed: true } : { confirmed: false, challenge };
    },
  };
}
