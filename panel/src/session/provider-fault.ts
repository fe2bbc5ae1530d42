import { useState } from 'react';

/** What the service says, in the fragment of the sign-in page, when a sign-in at the provider failed. */
const FRAGMENT = /^#error=([a-z_]{1,40})$/;

/** Words for the codes that people can do something about. */
const WORDS: Record<string, string> = {
  account_disabled: 'The operator has disabled your account. Ask the operator of this service.',
  address_taken: 'Somebody signs in with your address by a password already. Ask the operator to join the two.',
  email_unverified: 'The provider has not verified your e-mail address. Ask those who run it.',
  expired: 'Signing in took too long, or the link was used. Begin again.',
  no_account: 'You are known at the provider, and have no account here. Ask an admin of the account to let you in.',
  no_invitation:
    'The invitation was used or withdrawn, or is for another address than yours at the provider. Ask for another one.',
  not_set_up: 'This service has no provider to sign in at.',
  provider_away: 'The provider cannot be reached just now. Try again in a moment.',
  rate_limited: 'That was too much at once. Wait a moment.',
  refused: 'The provider did not let you in, or you cancelled there. Nothing was changed.',
};

/** Returns the error in a fragment; null where it has none. */
export function providerFaultIn(fragment: string): Error | null {
  const code = FRAGMENT.exec(fragment)?.[1];
  if (code === undefined) return null;
  return new Error(
    (Object.hasOwn(WORDS, code) ? WORDS[code] : undefined) ??
      'Signing in at the provider did not work. Try again, or ask the operator.',
  );
}

/** Returns why the sign-in at the provider failed, from which the person comes back; null where it did not. */
export function useProviderFault(): Error | null {
  const [fault] = useState(() => providerFaultIn(location.hash));
  return fault;
}
