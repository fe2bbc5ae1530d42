import { useState } from 'react';

/** What the service says, in the fragment of the sign-in page, when a sign-in at the provider failed. */
const FRAGMENT = /^#(?:error|sign-in|oidc)=([a-z_-]{1,40})$/;

/** Words for the codes that people can do something about. */
const WORDS: Record<string, string> = {
  no_account: 'You are known at the provider, and have no account here. Ask an admin of the account to let you in.',
  not_allowed: 'Your groups at the provider give you no account here. Ask an admin of the account.',
  expired: 'Signing in took too long. Begin again.',
  cancelled: 'You cancelled at the provider. Nothing was changed.',
  unavailable: 'The provider cannot be reached just now. Try again in a moment.',
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
