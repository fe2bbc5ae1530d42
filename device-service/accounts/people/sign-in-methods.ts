import { ApiError } from '../../../kit/errors/api-error.js';
import type { AccountsContext } from '../accounts-context.js';

/** Returns the ways in which people can sign in, for a sign-in page. */
export function signInMethods({ passwordSignIn, signUpOpen, oidc, publicUrl, mailQueue }: AccountsContext): {
  password: boolean;
  passkey: boolean;
  signUp: boolean;
  passwordReset: boolean;
  provider?: string;
} {
  return {
    password: passwordSignIn,
    passkey: publicUrl !== undefined && passwordSignIn,
    // A sign-up makes a password.
    signUp: signUpOpen && passwordSignIn,
    passwordReset: passwordSignIn && mailQueue !== undefined,
    ...(oidc !== undefined && { provider: new URL(oidc.config.issuer).host }),
  };
}

/** Throws forbidden where only the identity provider signs people in: without passwords there are no passkeys alone either. */
export function assertPasswordSignIn({ passwordSignIn }: Pick<AccountsContext, 'passwordSignIn'>): void {
  if (passwordSignIn) return;
  throw new ApiError(
    'forbidden',
    'Passwords, and passkeys in their place, are switched off here. Sign in by the identity provider: open GET /v1/session/oidc in a browser.',
  );
}
