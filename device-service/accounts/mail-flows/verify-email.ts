import { ApiError } from '../../../kit/errors/api-error.js';
import type { PersonDocument } from '../../store/people.js';
import type { AccountsContext } from '../accounts-context.js';
import { linkDigest } from '../mail/link-token.js';
import { queuePersonMail } from './queue-person-mail.js';

/** Queues a mail with which a person shows to read mail at the address. Someone who has shown it gets none. */
export async function requestVerification(context: AccountsContext, person: PersonDocument): Promise<void> {
  if (person.verifiedAt === undefined || context.mailQueue === undefined)
    await queuePersonMail(context, 'verification', person.email);
}

/** Queues the first such mail after a sign-up. A crash before it is no loss, as the person can ask for one. */
export async function welcomeByMail({ mailQueue, log }: AccountsContext, email: string): Promise<void> {
  try {
    await mailQueue?.add({ kind: 'verification', to: email });
  } catch (error) {
    // The account is made, and the response must say so.
    log.warn({ err: error }, 'could not queue the mail that verifies the address of a new account');
  }
}

/** Verifies an address by a link, which works any number of times. Throws not_found, with one text, for every other link. */
export async function verifyEmail(context: AccountsContext, token: string, address: string): Promise<void> {
  const { mailLinks, people, throttle, clock } = context;
  throttle.mailLink(address);
  const now = new Date(clock.now());
  const link = await mailLinks.find(linkDigest(token), 'verification', now);
  if (link === null)
    throw new ApiError(
      'not_found',
      'This link does not exist or is older than 24 hours. Sign in and ask for another one: POST /v1/account/email/verification.',
    );
  await people.setVerified(link.personId, now);
}
