import type { OidcLoginDocument } from '../../store/oidc-logins.js';
import type { AccountsContext } from '../accounts-context.js';
import { createLoginToken, secretsOf, tokenDigest } from './login-secrets.js';
import type { Oidc } from './oidc.js';
import { SignInFailure } from './sign-in-failure.js';

/** How long a browser has for a sign-in at the provider, ms. */
export const LOGIN_MS = 10 * 60_000;
/**
 * Sign-ins under way at the same time. The database forgets each after LOGIN_MS. One takes some 200 bytes, and an address begins at most
 * 600 (oidc.ts), so hundreds of addresses would be needed to shut others out.
 */
export const MAX_LOGINS = 200_000;

/** Begins a sign-in of a browser. Returns the provider's page, and the token for the browser's cookie. Throws SignInFailure. */
export async function beginSignIn(
  { oidcLogins, clock }: AccountsContext,
  oidc: Oidc,
  purpose: Pick<OidcLoginDocument, 'returnTo' | 'invitationDigest'>,
  address: string,
): Promise<{ location: string; loginToken: string }> {
  oidc.count(address);
  if ((await oidcLogins.count(MAX_LOGINS)) >= MAX_LOGINS) throw new SignInFailure('rate_limited');
  const loginToken = createLoginToken();
  const secrets = secretsOf(loginToken);
  if (secrets === undefined) throw new Error('a new token has no secrets');
  const location = await oidc.provider.signInUrl(secrets).catch((error: unknown) => {
    throw new SignInFailure('provider_away', { cause: error });
  });
  const expiresAt = new Date(clock.now() + LOGIN_MS);
  await oidcLogins.insert({ _id: tokenDigest(loginToken), ...purpose, expiresAt });
  return { location, loginToken };
}

const ORIGIN = 'http://panel.invalid';

/** Returns a path of the panel as a browser reads it; `/` for whatever leads elsewhere, such as `//example.com`. */
export function ownPath(text: string | undefined): string {
  if (text?.startsWith('/') !== true) return '/';
  const url = URL.parse(text, ORIGIN);
  if (url?.origin !== ORIGIN) return '/';
  const path = url.pathname + url.search + url.hash;
  return path.startsWith('//') ? '/' : path;
}
