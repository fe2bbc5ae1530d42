import { element } from './element.js';

/** Returns the e-mail address of the person who is signed in in this browser; null for nobody, undefined where the service did not respond. */
export async function signedIn() {
  try {
    const response = await fetch('/v1/account', { cache: 'no-store' });
    if (response.status === 401) return null;
    const { account } = await response.json();
    return account?.email;
  } catch {
    return undefined;
  }
}

/** A text for those who are not signed in, with the way to do so. */
export function signedOut() {
  const link = element('a', { href: '/sign-in', target: '_blank' }, 'Sign in to the panel');
  return ['You are not signed in here. ', link, ', then send it again.'];
}
