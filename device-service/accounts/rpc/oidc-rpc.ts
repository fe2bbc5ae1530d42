import type { ServiceImpl } from '@connectrpc/connect';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { OidcService } from '../../../proto/gen/cloudphone/access/v1/oidc_service_pb.js';
import type { AccountsContext } from '../accounts-context.js';
import { noteAccount } from '../audit/noted-account.js';
import { sessionNoted } from '../audit/member-noted.js';
import { SESSION_LIFETIME_S } from '../limits.js';
import { beginSignIn, ownPath } from '../oidc/begin-sign-in.js';
import { finishSignIn } from '../oidc/finish-sign-in.js';
import type { Oidc } from '../oidc/oidc.js';
import { type FailureCode, failurePage, SignInFailure } from '../oidc/sign-in-failure.js';
import { openSignInLink } from '../oidc/sign-in-link.js';
import { addressOf } from './client-address.js';

/** Adapts the sign-in by an identity provider to its rpcs. Each one ends with a page, as a person waits in front of the browser. */
export function oidcRpc(parts: AccountsContext): ServiceImpl<typeof OidcService> {
  const orFailurePage = async <T>(run: () => Promise<T>): Promise<T | { redirect: { location: string } }> => {
    try {
      return await run();
    } catch (error) {
      const code = codeOf(error);
      if (code === undefined) throw error;
      parts.log.warn({ err: error }, 'a sign-in failed');
      return { redirect: { location: failurePage(code) } };
    }
  };
  return {
    beginOidcSignIn: ({ returnTo }, context) =>
      orFailurePage(async () => {
        const purpose = { returnTo: ownPath(returnTo) };
        const { location, loginToken } = await beginSignIn(parts, requireOidc(parts), purpose, addressOf(context));
        return { redirect: { location }, login: { token: loginToken } };
      }),
    finishOidcSignIn: async (request, context) => ({
      ...(await orFailurePage(async () => {
        const { token, returnTo } = await finishSignIn(parts, requireOidc(parts), request, addressOf(context));
        noteAccount(context, () => sessionNoted(parts, token));
        return { redirect: { location: returnTo }, cookie: { token, maxAgeS: SESSION_LIFETIME_S } };
      })),
      login: {},
    }),
    signOutOfOidc: (_request, context) =>
      orFailurePage(async () => {
        const oidc = requireOidc(parts);
        oidc.count(addressOf(context));
        return { redirect: { location: (await signOutUrl(oidc)) ?? '/sign-in' } };
      }),
    openSignInLink: ({ token }, context) =>
      orFailurePage(async () => {
        const opened = await openSignInLink(parts, token, addressOf(context));
        noteAccount(context, () => sessionNoted(parts, opened));
        return { cookie: { token: opened, maxAgeS: SESSION_LIFETIME_S }, redirect: { location: '/' } };
      }),
  };
}

function requireOidc({ oidc }: AccountsContext): Oidc {
  if (oidc === undefined) throw new SignInFailure('not_set_up');
  return oidc;
}

function signOutUrl({ provider }: Oidc): Promise<string | undefined> {
  return provider.signOutUrl().catch((error: unknown) => {
    throw new SignInFailure('provider_away', { cause: error });
  });
}

/** Returns the code that the sign-in page gets for an error; undefined for one that is no refusal. */
function codeOf(error: unknown): FailureCode | undefined {
  if (error instanceof SignInFailure) return error.code;
  if (!(error instanceof ApiError)) return undefined;
  const codes: Partial<Record<typeof error.kind, FailureCode>> = {
    rate_limited: 'rate_limited',
    forbidden: 'no_account',
    unauthorized: 'account_disabled',
  };
  return codes[error.kind];
}
