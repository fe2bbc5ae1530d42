import { ApiError } from '../../../kit/errors/api-error.js';
import { createId } from '../../../kit/text/ids.js';
import type { AccountsContext } from '../accounts-context.js';
import { isMailAddress } from '../mail/mail-address.js';
import { writeMail } from '../mail/write-mail.js';

/** Sends a mail at once, so that the operator sees what the mail server says. Returns the server's response. */
export async function sendTestMail({ mailServer, clock }: AccountsContext, to: string): Promise<string> {
  if (mailServer === undefined)
    throw new ApiError(
      'busy',
      'This service sends no mail: set SMTP_URL, MAIL_FROM and PUBLIC_URL, start the service again, and repeat the command.',
    );
  if (!isMailAddress(to)) throw new ApiError('bad_request', `to: "${to}" is not one plain e-mail address`);
  const text = {
    subject: 'Test of the mail server',
    before: ['The cloud phone service sends mail through this server.'],
    link: { label: 'Open the control panel', url: mailServer.publicUrl.href },
    after: ['The operator asked for this mail. You need not do anything.'],
  };
  const { kind, response } = await mailServer.send({
    messageId: createId('mail', clock.now()),
    to,
    ...writeMail(text),
  });
  if (kind === 'sent') return response;
  throw new ApiError('unavailable', `The mail server did not take the mail: ${response}`);
}
