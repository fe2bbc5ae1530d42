import type { AccountDocument } from '../../store/accounts.js';
import type { MailKind } from '../../store/mails.js';
import type { Stores } from '../../store/stores.js';
import { MAX_MEMBERS } from '../limits.js';
import { ATTENTION_WINDOW_MS, BALANCE_WINDOW_MS, MAX_NOTIFIED } from '../mail/limits.js';
import type { MailQueue } from '../mail/mail-queue.js';

export interface NotifyParts extends Pick<Stores, 'accounts' | 'members' | 'people'> {
  /** Absent: the service sends no mail. */
  mailQueue: MailQueue | undefined;
}

/** A notice to the people who see to an account. */
export interface Notice {
  kind: Extract<MailKind, 'balance' | 'low_balance' | 'attention'>;
  accountId: string;
  /** What it is about: a second notice about it does not follow within the window of its kind. */
  about: string;
  data: Record<string, string>;
}

/**
 * Queues a mail for each owner and admin of an account, unless the account switched such mails off. Safe to repeat: who has the notice in
 * the queue gets no second one.
 */
export async function notifyAccount(parts: NotifyParts, { kind, accountId, about, data }: Notice): Promise<void> {
  const { accounts, mailQueue } = parts;
  if (mailQueue === undefined) return;
  const account = await accounts.find(accountId);
  if (account === null || account.disabledAt !== undefined || !wants(account, kind)) return;
  const windowMs = kind === 'attention' ? ATTENTION_WINDOW_MS : BALANCE_WINDOW_MS;
  for (const to of await addresses(parts, accountId)) {
    await mailQueue.add({ kind, to, accountId, data: { ...data, account: account.email }, once: { about, windowMs } });
  }
}

function wants({ mail }: AccountDocument, kind: Notice['kind']): boolean {
  return (kind === 'attention' ? mail?.attention : mail?.balance) ?? true;
}

async function addresses({ members, people }: NotifyParts, accountId: string): Promise<string[]> {
  const all = await members.list(accountId, MAX_MEMBERS);
  const ids = all.filter(({ role }) => role === 'owner' || role === 'admin').map(({ personId }) => personId);
  return (await people.findByIds(ids.slice(0, MAX_NOTIFIED))).map(({ email }) => email);
}
