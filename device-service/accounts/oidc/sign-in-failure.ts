/** Why a sign-in by the identity provider failed: a code that the sign-in page has words for. */
export type FailureCode =
  | 'account_disabled'
  | 'address_taken'
  | 'email_unverified'
  | 'expired'
  | 'invalid_answer'
  | 'no_account'
  | 'no_invitation'
  | 'not_set_up'
  | 'provider_away'
  | 'rate_limited'
  | 'refused';

/** A sign-in that ends on the sign-in page. Its cause is for the log alone. */
export class SignInFailure extends Error {
  readonly code: FailureCode;

  constructor(code: FailureCode, options?: ErrorOptions) {
    super(`sign-in by the identity provider: ${code}`, options);
    this.code = code;
  }
}

/** Returns the sign-in page with the words for a failure. The code is in the fragment, which no server sees. */
export function failurePage(code: FailureCode): string {
  return `/sign-in#error=${code}`;
}
