import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf } from '../../../kit/rpc/context.js';
import type { MailService } from '../../../proto/gen/cloudphone/access/v1/mail_service_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { memberNoted } from '../audit/member-noted.js';
import { noteAccount } from '../audit/noted-account.js';
import { confirmPasswordReset, requestPasswordReset } from '../mail-flows/reset-password-by-mail.js';
import { requestVerification, verifyEmail } from '../mail-flows/verify-email.js';
import { requireSelf } from '../members/self.js';
import { assertPasswordSignIn } from '../people/sign-in-methods.js';
import { addressOf } from './client-address.js';

/** Adapts what people do by links of mails to its rpcs. */
export function mailRpc(parts: AccountsContext): ServiceImpl<typeof MailService> {
  return {
    requestPasswordReset: async ({ email }, context) => {
      assertPasswordSignIn(parts);
      await requestPasswordReset(parts, email, addressOf(context));
      return {};
    },
    confirmPasswordReset: async (request, context) => {
      assertPasswordSignIn(parts);
      await confirmPasswordReset(parts, request, addressOf(context), ({ email }) =>
        noteAccount(context, () => memberNoted(parts, email)),
      );
      return {};
    },
    requestEmailVerification: async (_request, context) => {
      const { person } = await requireSelf(parts, callerOf(context));
      await requestVerification(parts, person);
      return {};
    },
    verifyEmail: async ({ token }, context) => {
      await verifyEmail(parts, token, addressOf(context));
      return {};
    },
  };
}
