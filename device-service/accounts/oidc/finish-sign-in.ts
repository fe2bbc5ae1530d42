import { ResponseBodyError } from 'openid-client';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { InvitationDocument } from '../../store/invitations.js';
import type { OidcLoginDocument } from '../../store/oidc-logins.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { sessionDigest } from '../callers/session-token.js';
import { join, openInvitation } from '../members/accept-invitation.js';
import { openSession } from '../people/open-session.js';
import { applyGroups } from './apply-groups.js';
import { ProviderAway } from './bounded-fetch.js';
import { sessionOfProvider } from './confirm-session.js';
import type { Claims } from './claims.js';
import { isSameText, secretsOf, tokenDigest } from './login-secrets.js';
import type { Oidc } from './oidc.js';
import type { OidcConfig } from './oidc-config.js';
import { personOf } from './person-of-identity.js';
import type { Answer } from './provider.js';
import { SignInFailure } from './sign-in-failure.js';
import { wantedRoles } from './wanted-roles.js';

/** The parameters with which the provider sends a browser back, and the token of the browser's cookie. */
export interface Callback {
  code?: string | undefined;
  state?: string | undefined;
  error?: string | undefined;
  iss?: string | undefined;
  loginToken?: string | undefined;
}

/**
 * Finishes a sign-in: the browser that began it comes back, once. Returns the token of a new session. Throws SignInFailure.
 *
 * The state is compared before the sign-in is taken, so that a page of another site cannot end one that is under way.
 */
export async function finishSignIn(
  context: AccountsContext,
  oidc: Oidc,
  callback: Callback,
  address: string,
): Promise<{ token: string; returnTo: string }> {
  oidc.count(address);
  const { loginToken = '', state = '', code, iss } = callback;
  const secrets = secretsOf(loginToken);
  if (secrets === undefined || !isSameText(state, secrets.state)) throw new SignInFailure('expired');
  const login = await context.oidcLogins.claim(tokenDigest(loginToken), new Date(context.clock.now()));
  if (login === null) throw new SignInFailure('expired');
  if (callback.error !== undefined) throw new SignInFailure('refused', { cause: new Error(callback.error) });
  const parameters = { state, ...(code !== undefined && { code }), ...(iss !== undefined && { iss }) };
  const answer = await oidc.provider.exchange(parameters, secrets).catch((error: unknown) => {
    throw failureOf(error);
  });
  const invitation = await invitationOf(context, oidc.config, login, answer.claims);
  return { token: await openSessionOf(context, oidc, answer, invitation, address), returnTo: login.returnTo };
}

/**
 * Returns the invitation that the person accepts by the sign-in; undefined for an ordinary sign-in. It must be for the address that the
 * provider names: whoever has the link of somebody else joins nothing.
 */
async function invitationOf(
  context: AccountsContext,
  { trustsEmails }: OidcConfig,
  { invitationDigest }: OidcLoginDocument,
  { email, emailVerified }: Claims,
): Promise<InvitationDocument | undefined> {
  if (invitationDigest === undefined) return undefined;
  if (!(emailVerified || trustsEmails)) throw new SignInFailure('email_unverified');
  const found = await openInvitation(context, invitationDigest);
  if (found === undefined || found.invitation.email !== email) throw new SignInFailure('no_invitation');
  return found.invitation;
}

async function openSessionOf(
  context: AccountsContext,
  oidc: Oidc,
  answer: Answer,
  invitation: InvitationDocument | undefined,
  address: string,
): Promise<string> {
  const { claims } = answer;
  const wanted = await wantedRoles(context, oidc.config, claims.groups);
  const known = await personOf(context, oidc.config, claims, wanted.size > 0 || invitation !== undefined);
  // The invitation comes first: groups may end the person's only membership, and a person in no account is removed. After a crash in
  // between, the person begins again, by the link or by an ordinary sign-in.
  const person = invitation === undefined ? known : await joined(context, invitation, known);
  await applyGroups(context, person._id, wanted);
  try {
    const { token } = await openSession(context, person, address, 'provider');
    // After a crash before this, nobody has the token.
    await context.sessions.setProvider(sessionDigest(token), sessionOfProvider(context, answer, token));
    return token;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    throw new SignInFailure(error.kind === 'forbidden' ? 'no_account' : 'account_disabled', { cause: error });
  }
}

/** Returns the person as a member of the invitation's account, in which the session opens. */
async function joined(
  context: AccountsContext,
  invitation: InvitationDocument,
  person: PersonDocument,
): Promise<PersonDocument> {
  try {
    return (await join(context, invitation, person)).person;
  } catch (error) {
    throw error instanceof ApiError ? new SignInFailure('no_invitation', { cause: error }) : error;
  }
}

function failureOf(error: unknown): SignInFailure {
  if (error instanceof ProviderAway) return new SignInFailure('provider_away', { cause: error });
  // The provider itself refuses the code, as one that was used.
  if (error instanceof ResponseBodyError) return new SignInFailure('refused', { cause: error });
  return new SignInFailure('invalid_answer', { cause: error });
}
