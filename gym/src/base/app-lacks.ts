import { mailboxOf, type Mailbox, shopOf, type ShopState } from './app-lists.js';
import type { GymPhone } from '../phone/gym-phone.js';
import { lack } from '../phone/same.js';

/** Returns how the shop differs from what is wanted. What is not named must be empty, also what the buyer has agreed to in between. */
export async function shopLack(phone: GymPhone, wanted: Partial<ShopState>): Promise<string | undefined> {
  const { cart, wishes, orders, agreed = [] } = await shopOf(phone);
  const empty = { cart: {}, wishes: [], orders: [], agreed: [] };
  return lack('the shop', { cart, wishes, orders, agreed }, { ...empty, ...wanted });
}

/** What a task may change in the mailbox. `moved`: ids of the mails that have left the inbox, with their folders. */
interface MailChanges extends Pick<Mailbox, 'unsubscribed'> {
  moved: (readonly [id: string | undefined, folder: string])[];
}

/** Returns how the mailbox differs from that of the template with some changes. No mail may be gone, starred or replied to. */
export async function mailboxLack(phone: GymPhone, wanted: Partial<MailChanges>): Promise<string | undefined> {
  const { mails, unsubscribed, replies } = await mailboxOf(phone);
  const moved = mails.filter(({ folder }) => folder !== 'inbox').map(({ id, folder }) => [id, folder]);
  const starred = mails.filter((mail) => mail.starred).map(({ id }) => id);
  const unchanged = { moved: [], starred: [], unsubscribed: [], replies: [] };
  return lack('the mailbox', { moved, starred, unsubscribed, replies }, { ...unchanged, ...wanted });
}
