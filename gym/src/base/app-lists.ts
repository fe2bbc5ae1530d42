import type { GivenContact } from './base-contacts.js';
import { BASE_ENTRIES, type GivenEntry } from './base-calendar.js';
import { BASE_MAILS, type GivenMail } from './base-mail.js';
import { BASE_PRODUCTS, type GivenProduct } from './base-shop.js';
import type { GymPhone } from '../phone/gym-phone.js';

const CONTACTS = 'com.cloudphone.gym.contacts';
const MAIL = 'com.cloudphone.gym.mail';
const CALENDAR = 'com.cloudphone.gym.calendar';
const SHOP = 'com.cloudphone.gym.shop';

/** The state of the mail program. */
export interface Mailbox {
  mails: GivenMail[];
  unsubscribed: string[];
  replies: { to: string; subject: string; text: string }[];
}

/** The state of the shop. */
export interface ShopState {
  products: GivenProduct[];
  cart: Record<string, number>;
  orders: { items: Record<string, number>; values: Record<string, string | boolean> }[];
  wishes: string[];
  interrupts?: string[];
  /** The interruptions to which the buyer has said yes. */
  agreed?: string[];
}

export const setContacts = (phone: GymPhone, contacts: readonly GivenContact[]): Promise<void> =>
  phone.setAppState(CONTACTS, 'contacts.json', contacts);

export const contactsOf = async (phone: GymPhone): Promise<GivenContact[]> =>
  (await phone.appState<GivenContact[]>(CONTACTS, 'contacts.json')) ?? [];

/** Returns what was last written into the search of the contacts. Undefined: nothing was. */
export const lastSearchOf = async (phone: GymPhone): Promise<string | undefined> =>
  (await phone.appState<{ words: string }>(CONTACTS, 'search.json'))?.words;

export const setMails = (phone: GymPhone, mails: readonly GivenMail[] = BASE_MAILS): Promise<void> =>
  phone.setAppState(MAIL, 'mailbox.json', { mails, unsubscribed: [], replies: [] });

export const mailboxOf = async (phone: GymPhone): Promise<Mailbox> =>
  (await phone.appState<Mailbox>(MAIL, 'mailbox.json')) ?? { mails: [], unsubscribed: [], replies: [] };

export const setEntries = (phone: GymPhone, entries: readonly GivenEntry[] = BASE_ENTRIES): Promise<void> =>
  phone.setAppState(CALENDAR, 'entries.json', entries);

export const entriesOf = async (phone: GymPhone): Promise<GivenEntry[]> =>
  (await phone.appState<GivenEntry[]>(CALENDAR, 'entries.json')) ?? [];

export const setShop = (phone: GymPhone, more: Partial<ShopState> = {}): Promise<void> =>
  phone.setAppState(SHOP, 'shop.json', { products: BASE_PRODUCTS, cart: {}, orders: [], wishes: [], ...more });

export const shopOf = async (phone: GymPhone): Promise<ShopState> =>
  (await phone.appState<ShopState>(SHOP, 'shop.json')) ?? { products: [], cart: {}, orders: [], wishes: [] };
