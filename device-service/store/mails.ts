import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/** What a mail is about; accounts/mail/mail-texts.ts has the words of each kind. */
export type MailKind = 'reset' | 'verification' | 'invitation' | 'balance' | 'low_balance' | 'attention';

/** A mail that is to be sent, or was sent within its window. */
export interface MailDocument {
  /** `mail_…`, or a text that names what the mail is about, so that nobody gets it twice within its window. */
  _id: string;
  /** The id in the Message-ID of every attempt, by which a receiver knows a mail that comes again after a crash. */
  messageId: string;
  kind: MailKind;
  /** The e-mail address, in lower case. */
  to: string;
  /** The account that the mail is about. Absent: it is about the person alone. */
  accountId?: string;
  /** What the text names, such as a device. */
  data: Record<string, string>;
  /** The token of a link, sealed where there is a SECRETS_KEY. Absent: it has none, or the mail is over. */
  secret?: string;
  createdAt: Date;
  /** When the next attempt is due. While an attempt is under way, it is the end of the sender's claim. Absent: the mail is over. */
  dueAt?: Date;
  /** Grows with each claim: a write of a sender counts only while it is the number of its claim. */
  claims: number;
  /** The end of the attempts. */
  giveUpAt: Date;
  /** When the mail server took it. Absent: it did not. */
  sentAt?: Date;
  /** Why the mail was not sent. Absent: it was, or it still may be. */
  failure?: string;
  /** How long after its end nobody gets the same mail again, ms. */
  windowMs: number;
  /** When the document goes: a window after its end, or after its last possible attempt. */
  expiresAt: Date;
}

/** A mail that a sender has claimed. */
export type ClaimedMail = Pick<MailDocument, '_id' | 'claims'>;

/** How many due mails are read at a time. Each of the senders at work may claim one of them first. */
const DUE_AT_ONCE = 20;

export class MailStore {
  readonly #mails: Collection<MailDocument>;

  constructor(database: Db) {
    this.#mails = database.collection<MailDocument>('mails');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#mails, [
      { key: { dueAt: 1 }, name: 'due', sparse: true },
      { key: { expiresAt: 1 }, name: 'expiry', expireAfterSeconds: 0 },
    ]);
  }

  /** Queues a mail. Returns false when a mail of this id is queued already, or its window is not over. */
  async insert(mail: MailDocument, now: Date): Promise<boolean> {
    // The database itself removes expired documents only once a minute.
    await this.#mails.deleteOne({ _id: mail._id, expiresAt: { $lte: now } });
    return insertNew(this.#mails, mail);
  }

  find(id: string): Promise<MailDocument | null> {
    return this.#mails.findOne({ _id: id });
  }

  /** Claims one of the mails that have been due for the longest time. The claim lapses at `leaseUntil`. Returns null when none is due. */
  async claim(now: Date, leaseUntil: Date): Promise<MailDocument | null> {
    for (;;) {
      const due = await this.#mails
        .find({ dueAt: { $lte: now } }, { projection: { claims: 1, dueAt: 1 }, sort: { dueAt: 1 }, limit: DUE_AT_ONCE })
        .toArray();
      for (const { _id, claims, dueAt } of due) {
        const update = { $set: { dueAt: leaseUntil }, $inc: { claims: 1 } };
        const filter = { _id, claims, ...(dueAt !== undefined && { dueAt }) };
        const claimed = await this.#mails.findOneAndUpdate(filter, update, { returnDocument: 'after' });
        if (claimed !== null) return claimed;
      }
      // Other senders have claimed all of these meanwhile, and there may be more.
      if (due.length < DUE_AT_ONCE) return null;
    }
  }

  /** Plans the next attempt. Returns false when another sender has claimed the mail since. */
  async postpone({ _id, claims }: ClaimedMail, dueAt: Date): Promise<boolean> {
    return (await this.#mails.updateOne({ _id, claims }, { $set: { dueAt } })).matchedCount === 1;
  }

  /** Notes that the mail is over, and removes its secret. Returns false when another sender has claimed the mail since. */
  async end(
    { _id, claims }: ClaimedMail,
    outcome: Pick<MailDocument, 'sentAt' | 'failure' | 'expiresAt'>,
  ): Promise<boolean> {
    const update = { $set: { ...outcome }, $unset: { dueAt: '' as const, secret: '' as const } };
    return (await this.#mails.updateOne({ _id, claims }, update)).matchedCount === 1;
  }

  /** Removes a mail that is to reach nobody any more. */
  async drop({ _id, claims }: ClaimedMail): Promise<void> {
    await this.#mails.deleteOne({ _id, claims });
  }

  /** Returns how many mails are to be sent, counted up to `limit`, and when the first of them became due. */
  async measure(limit: number, signal?: AbortSignal): Promise<{ queued: number; oldestDueAt?: Date }> {
    const waiting = await this.#mails
      .find({ dueAt: { $gt: new Date(0) } }, { projection: { dueAt: 1 }, sort: { dueAt: 1 }, limit, signal })
      .toArray();
    const oldestDueAt = waiting[0]?.dueAt;
    return { queued: waiting.length, ...(oldestDueAt !== undefined && { oldestDueAt }) };
  }
}
