import { ApiError } from '../../../kit/errors/api-error.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { removeAllFactors } from '../factors/remove-factor.js';
import { resetPassword } from '../people/change-password.js';
import { linkDigest, makeLink } from '../mail/link-token.js';
import { queuePersonMail } from './queue-person-mail.js';

/**
 * Queues a mail with which the person of an address chooses a new password. Nothing here depends on whether there is such a person: the
 * sender looks that up later.
 */
export async function requestPasswordReset(context: AccountsContext, email: string, address: string): Promise<void> {
  context.throttle.mail(address);
  await queuePersonMail(context, 'reset', email);
}

/**
 * Gives a person a new password by a link, once. The link is taken by one conditional delete, so of several requests at the same time one
 * does it. Throws not_found, with one text, for every link that does not work. The first link that proves the address removes the second
 * factors, as they are of whoever signed up with it.
 */
export async function confirmPasswordReset(
  context: AccountsContext,
  { token, newPassword }: { token: string; newPassword: string },
  address: string,
  /** Called with the person of the link. */
  onPerson: (person: PersonDocument) => void,
): Promise<void> {
  const { mailLinks, people, throttle, clock } = context;
  throttle.mailLink(address);
  // The look-up is by digest, so its time reveals nothing about a token that is nearly right.
  const link = await mailLinks.take(linkDigest(token), 'reset', new Date(clock.now()));
  const person = link === null ? null : await people.find(link.personId);
  if (link === null || person === null) throw noSuchLink();
  onPerson(person);
  // Somebody else may have signed up with the address, and set up a way in that would stay.
  const proves = link.mailed && person.verifiedAt === undefined;
  try {
    if (proves) await removeAllFactors(context, person);
    await resetPassword(context, person, newPassword);
  } catch (error) {
    // The password is as it was, for example because many are being hashed just now: the person can use the link again.
    await mailLinks.insert(link);
    throw error;
  }
  if (proves) await people.setVerified(person._id, new Date(clock.now()));
}

/** Makes a link with which a person chooses a new password, for the operator to pass on. Returns its path. */
export function passwordLink(
  context: AccountsContext,
  person: PersonDocument,
): Promise<{ path: string; expiresAt: Date }> {
  return makeLink(context, 'reset', { personId: person._id, mailed: false });
}

function noSuchLink(): ApiError {
  return new ApiError(
    'not_found',
    'This link does not exist, was used, or is older than 30 minutes. Ask for another one on the sign-in page.',
  );
}
