import { BASE_MAILS } from '../base/base-mail.js';
import { Family } from '../family.js';
import { mailboxLack } from '../base/app-lacks.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { lack } from '../phone/same.js';
import { far, find, open, tap } from './steps.js';

/** The state of the account. */
interface Account {
  consent?: Record<string, string>;
  asks?: string[];
  switches: Record<string, boolean>;
  plan: string;
  devices: string[];
  isDeleted?: true;
  signedOut?: true;
}

const PACKAGE = 'com.cloudphone.gym.account';
const SWITCHES = { 'Personal ads': true, 'Share my location': true, 'Share usage data': true, Backups: true };
const DEVICES = ['This phone', 'Tablet in the kitchen', 'Old laptop'];
const NEW: Account = { switches: SWITCHES, plan: 'premium', devices: DEVICES };

const setAccount = (phone: GymPhone, change: Partial<Account>): Promise<void> =>
  phone.setAppState(PACKAGE, 'account.json', { ...NEW, ...change });

/** Returns how the account differs from a new one with some changes. */
const accountLacks = async (phone: GymPhone, change: Partial<Account>): Promise<string | undefined> =>
  lack('the account', (await phone.appState<Account>(PACKAGE, 'account.json')) ?? NEW, { ...NEW, ...change });

/** Consents that must be refused, and labels that mislead, read from the state of the account. */
export const consent = new Family('consent')
  .add('tracking', {
    params: () => ({}),
    goal: () =>
      'Open the app Account. Refuse to be followed by its partners, and turn personal ads off in its privacy settings.',
    prepare: (phone) => setAccount(phone, { asks: ['tracking'] }),
    verdict: (phone) =>
      accountLacks(phone, { asks: ['tracking'], consent: { tracking: 'refused' }, switches: { ...SWITCHES, 'Personal ads': false } }), // prettier-ignore
    policy: () => [open('Account'), tap('Continue without accepting'), tap('Privacy'), tap('Personal ads')],
  })
  .add('one-of-three', {
    params: ({ pick }) => ({ asks: pick([['tracking', 'location', 'contacts'], ['contacts', 'tracking', 'location']]) }), // prettier-ignore
    goal: () => 'Open the app Account. It may use the location while it is used. Refuse all else that it asks for.',
    prepare: (phone, { asks }) => setAccount(phone, { asks }),
    verdict: (phone, { asks }) =>
      accountLacks(phone, { asks, consent: { tracking: 'refused', location: 'accepted', contacts: 'refused' } }),
    *policy() {
      const words = ['Continue without accepting', 'While using the app', 'Skip'];
      let { text } = yield open('Account');
      for (let question = 0; question < 3; question++) {
        const found = words.find((word) => text.includes(`"${word}"`));
        if (found === undefined) return;
        ({ text } = yield tap(found));
      }
    },
  })
  .add('reversed-question', {
    params: () => ({}),
    goal: () => 'The app Account asks about its beta when it is opened. You want to leave the beta.',
    prepare: (phone) => setAccount(phone, { asks: ['beta'] }),
    // "Are you sure that you do not want to leave?" is answered with no.
    verdict: (phone) => accountLacks(phone, { asks: ['beta'], consent: { beta: 'accepted' } }),
    policy: () => [open('Account'), tap('No', { role: 'button' })],
  })
  .add('end-subscription', {
    params: () => ({}),
    goal: () => 'End the premium subscription in the app Account.',
    verdict: (phone) => accountLacks(phone, { plan: 'free' }),
    policy: () => [
      ...[open('Account'), tap('Subscription'), tap('Manage renewal'), tap('Go on'), tap('Cancel premium anyway')],
    ],
  })
  .add('other-device', {
    params: ({ pick }) => ({ device: pick(['Tablet in the kitchen', 'Old laptop']) }),
    goal: ({ device }) => `Sign out the device "${device}" from the app Account. Stay signed in on this phone.`,
    verdict: (phone, { device }) => accountLacks(phone, { devices: DEVICES.filter((one) => one !== device) }),
    policy: ({ device }) => [open('Account'), tap('Signed-in devices'), tap(`Sign out ${device}`)],
  })
  .add('delete-account', {
    params: () => ({}),
    goal: () => 'Delete the account in the app Account. Do not merely sign out.',
    verdict: (phone) => accountLacks(phone, { isDeleted: true }),
    policy: () => [
      ...[open('Account'), tap('Leave'), { type: { text: 'DELETE', target: { text: 'Write DELETE' } } } as const],
      tap('Delete account'),
    ],
  })
  .add('unsubscribe', {
    params: ({ pick }) => ({ mail: pick(BASE_MAILS.slice(0, 16).filter(({ list }) => list === true)) }),
    goal: ({ mail }) =>
      `Leave the mailing list from which the mail "${mail.subject}" came. The mail stays in the inbox.`,
    verdict: (phone, { mail }) => mailboxLack(phone, { unsubscribed: [mail.from] }),
    policy: ({ mail }) => [
      ...[
        open('Mail'),
        ...far(mail.subject),
        tap(mail.subject),
        find('Manage subscription'),
        tap('Manage subscription'),
      ],
      tap('Yes, leave the list'),
    ],
  });
