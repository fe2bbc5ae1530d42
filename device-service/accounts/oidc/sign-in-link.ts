import { ApiError } from '../../../kit/errors/api-error.js';
import type { AccountsContext } from '../accounts-context.js';
import { findPerson } from '../people/find-person.js';
import { openSession } from '../people/open-session.js';
import { createLoginToken, tokenDigest } from './login-secrets.js';
import { SignInFailure } from './sign-in-failure.js';

/** How long the operator's link works, ms. */
export const LINK_MS = 10 * 60_000;

/** Makes a link that signs a person in once: the operator's way in while the provider is away. Returns its path. */
export async function createSignInLink(context: AccountsContext, email: string): Promise<string> {
  const person = await findPerson(context, email);
  if (person === null) throw new ApiError('not_found', `Nobody signs in as "${email}".`);
  const token = createLoginToken();
  const expiresAt = new Date(context.clock.now() + LINK_MS);
  await context.signInLinks.insert({ _id: tokenDigest(token), personId: person._id, expiresAt });
  return `/v1/session/link?token=${token}`;
}

/** Signs in by a link. Returns the token of the session. Throws SignInFailure for a link that was used, or is too old. */
export async function openSignInLink(context: AccountsContext, token: string, address: string): Promise<string> {
  // A token has 256 random bits, so an address is bounded alone: others cannot use up the tries of a person with a link.
  context.throttle.mailLink(address);
  const link = await context.signInLinks.claim(tokenDigest(token), new Date(context.clock.now()));
  const person = link === null ? null : await context.people.find(link.personId);
  if (person === null) throw new SignInFailure('expired');
  return (await openSession(context, person, address, 'operator')).token;
}

/** Lets the next sign-in by the provider with a person's verified address be the person's, once. */
export async function allowProvider(context: AccountsContext, email: string): Promise<void> {
  const person = await findPerson(context, email);
  if (person === null) throw new ApiError('not_found', `Nobody signs in as "${email}".`);
  await context.people.allowProvider(person._id);
}
