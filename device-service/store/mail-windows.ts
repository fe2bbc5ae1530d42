import type { Collection, Db } from 'mongodb';
import { putIndexes } from '../../kit/db/put-indexes.js';
import { insertNew } from './insert-new.js';

/** How many mails were queued for one address, account or kind within a window. */
export interface MailWindowDocument {
  /** Such as `reset to ann@example.com`. */
  _id: string;
  count: number;
  endsAt: Date;
}

/** Bounds the mails of a window, over all processes and restarts: a mail costs its reader more than it costs the service. */
export class MailWindowStore {
  readonly #windows: Collection<MailWindowDocument>;

  constructor(database: Db) {
    this.#windows = database.collection<MailWindowDocument>('mailWindows');
  }

  async createIndexes(): Promise<void> {
    await putIndexes(this.#windows, [{ key: { endsAt: 1 }, name: 'expiry', expireAfterSeconds: 0 }]);
  }

  /** Counts one mail. Returns false, and counts nothing, when the window has `most` already. */
  async count(id: string, { most, windowMs }: { most: number; windowMs: number }, nowMs: number): Promise<boolean> {
    const now = new Date(nowMs);
    if (await this.#add(id, most, now)) return true;
    await this.#windows.deleteOne({ _id: id, endsAt: { $lte: now } });
    const isFirst = await insertNew(this.#windows, { _id: id, count: 1, endsAt: new Date(nowMs + windowMs) });
    // Another process may have begun the window just now.
    return isFirst || this.#add(id, most, now);
  }

  async #add(id: string, most: number, now: Date): Promise<boolean> {
    const open = { _id: id, endsAt: { $gt: now }, count: { $lt: most } };
    return (await this.#windows.updateOne(open, { $inc: { count: 1 } })).matchedCount === 1;
  }
}
