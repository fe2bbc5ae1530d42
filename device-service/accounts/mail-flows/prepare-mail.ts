import type { SecretBox } from '../../../kit/text/secret-box.js';
import type { MailDocument } from '../../store/mails.js';
import type { Stores } from '../../store/stores.js';
import type { Clock } from '../../../kit/async/clock.js';
import { invitationDigest } from '../members/invite.js';
import { findPerson } from '../people/find-person.js';
import { makeLink } from '../mail/link-token.js';
import type { MailMessage, MailServer } from '../mail/mail-server.js';
import { mailText } from '../mail/mail-texts.js';
import { writeMail } from '../mail/write-mail.js';

export interface PrepareParts extends Pick<
  Stores,
  'accounts' | 'invitations' | 'mailLinks' | 'mails' | 'members' | 'people'
> {
  box: SecretBox | undefined;
  clock: Clock;
}

/** Why a mail is not sent: it is to reach nobody any more, or its secret opens with no key. */
export type NotSent = 'dropped' | 'unreadable';

/**
 * Returns the message of a queued mail. Links of people are made here, so that their time begins when the mail goes out. So whether an
 * address has a person is found out long after the request that named it.
 */
export async function prepareMail(
  parts: PrepareParts,
  { publicUrl }: Pick<MailServer, 'publicUrl'>,
  mail: MailDocument,
): Promise<MailMessage | NotSent> {
  const path = await pathOf(parts, mail);
  if (path === 'dropped' || path === 'unreadable') return path;
  const text = mailText(mail.kind, mail.data, new URL(path, publicUrl).href);
  return { messageId: mail.messageId, to: mail.to, ...writeMail(text) };
}

async function pathOf(parts: PrepareParts, mail: MailDocument): Promise<string> {
  switch (mail.kind) {
    case 'reset':
    case 'verification': {
      const person = await findPerson(parts, mail.to);
      // Who signs in without a password gets none by mail. The provider of the sign-in decides there.
      const isWanted = mail.kind === 'reset' ? person?.passwordHash !== undefined : person?.verifiedAt === undefined;
      if (person === null || !isWanted) return 'dropped';
      return (await makeLink(parts, mail.kind, { personId: person._id, mailed: true })).path;
    }
    case 'invitation': {
      const token = openSecret(parts.box, mail);
      if (token === undefined) return 'unreadable';
      const invitation = await parts.invitations.findByDigest(invitationDigest(token));
      const isOpen = invitation !== null && invitation.expiresAt.getTime() > parts.clock.now();
      return isOpen ? `/invitation#${token}` : 'dropped';
    }
    default: {
      const account = await parts.accounts.find(mail.accountId ?? '');
      return account === null || account.disabledAt !== undefined ? 'dropped' : '/';
    }
  }
}

function openSecret(box: SecretBox | undefined, { _id, secret }: MailDocument): string | undefined {
  // A token that was queued before there was a SECRETS_KEY is stored as it is.
  if (secret === undefined || secret.startsWith('inv_')) return secret;
  return box?.open(secret, _id);
}
