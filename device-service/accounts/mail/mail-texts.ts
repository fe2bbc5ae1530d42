import type { MailKind } from '../../store/mails.js';
import { oneLine } from './one-line.js';

/** The words of a mail. */
export interface MailText {
  subject: string;
  /** One string for each paragraph. */
  before: string[];
  /** Absent: the mail has no link. */
  link?: { label: string; url: string };
  after: string[];
}

/** What the text names: data of the mail, each on one line. */
export type MailData = Readonly<Record<string, string>>;

const IGNORE = 'If you did not ask for this mail, you need not do anything.';

const texts: Record<MailKind, (data: MailData, link: string | undefined) => MailText> = {
  reset: (_data, url) => ({
    subject: 'Choose a new password',
    before: ['Someone asked for a new password for your sign-in to cloud phones. Choose one here:'],
    ...linked('Choose a new password', url),
    after: ['The link works once, for 30 minutes. After that, ask for another one on the sign-in page.', IGNORE],
  }),
  verification: (_data, url) => ({
    subject: 'Verify your e-mail address',
    before: ['Show that this address of your sign-in to cloud phones is yours:'],
    ...linked('Verify the address', url),
    after: ['The link works for 24 hours.', IGNORE],
  }),
  invitation: ({ invitedBy = '', account = '', role = '' }, url) => ({
    subject: `Invitation to the cloud phones of ${account}`,
    before: [`${invitedBy} invites you to the account ${account}, as ${role}.`],
    ...linked('Join the account', url),
    after: ['The link works once, for 7 days. If you do not know who invites you, you need not do anything.'],
  }),
  balance: ({ account = '', device = '', message = '' }, url) => ({
    subject: `The balance of ${account} is used up`,
    before: [`The device ${device} is being stopped, as the balance of the account ${account} is used up.`, message],
    ...linked('Open the control panel', url),
    after: [switchOff(account)],
  }),
  low_balance: ({ account = '', balance = '' }, url) => ({
    subject: `The balance of ${account} lasts for less than a day`,
    before: [
      `The account ${account} has ${balance} USD left. With the devices that run now, that is used up within a day.`,
      'Devices that cannot be paid are stopped. They keep their state.',
    ],
    ...linked('Open the control panel', url),
    after: [switchOff(account)],
  }),
  attention: ({ account = '', device = '', problem = '', message = '' }, url) => ({
    subject: `The device ${device} needs attention`,
    before: [`The device ${device} of the account ${account} has a problem (${problem}).`, message],
    ...linked('Open the control panel', url),
    after: ['There is no other mail about this device for 6 hours.', switchOff(account)],
  }),
};

/** Returns the words of a mail. Text of users is on one line each and bounded, wherever it stands. */
export function mailText(kind: MailKind, data: MailData, link: string | undefined): MailText {
  const lines = Object.fromEntries(Object.entries(data).map(([name, text]) => [name, oneLine(text)]));
  return texts[kind](lines, link);
}

function linked(label: string, url: string | undefined): Pick<MailText, 'link'> {
  return url === undefined ? {} : { link: { label, url } };
}

function switchOff(account: string): string {
  return `You get this mail as an owner or admin of ${account}. Owners and admins can switch such mails off in the settings of the account.`;
}
