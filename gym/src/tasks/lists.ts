import { BASE_CONTACTS, type GivenContact } from '../base/base-contacts.js';
import { BASE_MAILS } from '../base/base-mail.js';
import { BASE_PRODUCTS, IN_STOCK } from '../base/base-shop.js';
import { Family } from '../family.js';
import { contactsOf, lastSearchOf } from '../base/app-lists.js';
import { mailboxLack, shopLack } from '../base/app-lacks.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { firstLack, lack } from '../phone/same.js';
import { far, find, open, replace, tap, type } from './steps.js';
import { contactRow, productRow } from './rows.js';

const latin = BASE_CONTACTS.slice(0, 400);

const contactsLack = async (phone: GymPhone, wanted: readonly GivenContact[]): Promise<string | undefined> => {
  const found = await contactsOf(phone);
  if (found.length !== wanted.length) return `there are ${found.length} contacts, not ${wanted.length}`;
  const differs = wanted.find((one) => !found.some((other) => lack('', other, one) === undefined));
  return differs === undefined ? undefined : lack(`the contact ${differs.name}`, found.find(({ id }) => id === differs.id), differs); // prettier-ignore
};

/** Lists of hundreds, read from what the apps keep. */
export const lists = new Family('lists')
  .add('star-contact', {
    params: ({ pick }) => ({ contact: pick(latin) }),
    goal: ({ contact }) => `Add a star to the contact ${contact.name}.`,
    verdict: (phone, { contact }) => contactsLack(phone, BASE_CONTACTS.map((one) => (one === contact ? { ...one, starred: true } : one))), // prettier-ignore
    policy: ({ contact }) => [open('Contacts'), type('Search contacts', contact.name), contactRow(contact), tap('Add star')], // prettier-ignore
  })
  .add('delete-contact', {
    params: ({ pick }) => ({ contact: pick(latin) }),
    goal: ({ contact }) => `Delete the contact ${contact.name}.`,
    verdict: (phone, { contact }) =>
      contactsLack(
        phone,
        BASE_CONTACTS.filter((one) => one !== contact),
      ),
    policy: ({ contact }) => [
      ...[
        open('Contacts'),
        type('Search contacts', contact.name),
        { long_press: { text: `${contact.name}, ${contact.company}` } } as const,
      ],
      ...[tap('Delete contact'), tap('Delete')],
    ],
  })
  .add('change-number', {
    params: ({ pick, int }) => ({ contact: pick(latin), phone: `+49 89 ${int(100_000, 999_999)}` }),
    goal: ({ contact, phone }) => `${contact.name} has another phone number: ${phone}. Change it in Contacts.`,
    verdict: (phone, { contact, phone: number }) =>
      contactsLack(
        phone,
        BASE_CONTACTS.map((one) => (one === contact ? { ...one, phone: number } : one)),
      ),
    policy: ({ contact, phone }) => [
      ...[open('Contacts'), type('Search contacts', contact.name), contactRow(contact), tap('Edit')],
      ...[replace('Phone', phone), find('Save contact'), tap('Save contact')],
    ],
  })
  .add('scroll-to-contact', {
    params: ({ pick }) => ({ contact: pick(latin.filter(({ name }) => /^[C-E]/.test(name))) }),
    goal: ({ contact }) => `Star the contact ${contact.name} without using the search.`,
    verdict: async (phone, { contact }) =>
      firstLack(
        await contactsLack(phone, BASE_CONTACTS.map((one) => (one === contact ? { ...one, starred: true } : one))), // prettier-ignore
        lack('the last search', await lastSearchOf(phone), undefined),
      ),
    policy: ({ contact }) => [open('Contacts'), ...far(contact.name), contactRow(contact), tap('Add star')], // prettier-ignore
  })
  .add('archive-mail', {
    params: ({ int }) => ({ mail: BASE_MAILS[int(20, 60)] ?? BASE_MAILS[0] }),
    goal: ({ mail }) => `Archive the mail "${mail?.subject ?? ''}", no other.`,
    verdict: (phone, { mail }) => mailboxLack(phone, { moved: [[mail?.id, 'archive']] }),
    policy: ({ mail }) => [...[open('Mail'), ...far(mail?.subject ?? ''), tap(mail?.subject ?? '')], tap('Archive')],
  })
  .add('two-spam-mails', {
    params: ({ int }) => ({ first: int(1, 4), second: int(6, 9) }),
    goal: ({ first, second }) => `Report the mails "${subjectAt(first)}" and "${subjectAt(second)}" as spam.`,
    verdict: (phone, { first, second }) => mailboxLack(phone, { moved: [[`m${first}`, 'spam'], [`m${second}`, 'spam']] }), // prettier-ignore
    policy: ({ first, second }) => [
      ...[open('Mail'), find(subjectAt(first)), tap(subjectAt(first)), find('Report spam'), tap('Report spam')],
      ...[find(subjectAt(second)), tap(subjectAt(second)), find('Report spam'), tap('Report spam')],
    ],
  })
  .add('cheapest', {
    params: ({ pick }) => ({ thing: pick(['lamp', 'kettle', 'vase', 'blanket']) }),
    goal: ({ thing }) => `Put the cheapest ${thing} of the Shop that is in stock into the cart, once.`,
    verdict: (phone, { thing }) => shopLack(phone, { cart: { [cheapestOf(thing).id]: 1 } }),
    policy: ({ thing }) => [
      ...[open('Shop'), type('Search the shop', thing), tap('Order'), tap('Cheapest first')],
      ...[productRow(cheapestOf(thing)), tap('Add to cart')],
    ],
  })
  .add('three-in-the-cart', {
    params: ({ sample }) => ({ products: sample(IN_STOCK, 2) }),
    goal: ({ products: [one, other] }) => `Put two pieces of "${one?.name ?? ''}" and one of "${other?.name ?? ''}" into the cart of the Shop.`, // prettier-ignore
    verdict: (phone, { products: [one, other] }) =>
      shopLack(phone, { cart: { [one?.id ?? '']: 2, [other?.id ?? '']: 1 } }),
    policy: ({ products: [one, other] }) => [
      ...[open('Shop'), type('Search the shop', one?.name ?? ''), productRow(one)],
      ...[tap('Add to cart'), tap('Add to cart'), tap('Navigate up')],
      ...[replace('Search the shop', other?.name ?? ''), productRow(other), tap('Add to cart')],
    ],
  });

function subjectAt(at: number): string {
  return BASE_MAILS[at]?.subject ?? '';
}

function cheapestOf(thing: string): (typeof BASE_PRODUCTS)[number] {
  const found = BASE_PRODUCTS.filter(({ name, stock }) => name.endsWith(` ${thing}`) && stock > 0);
  return found.reduce((best, one) => (one.price < best.price ? one : best));
}
