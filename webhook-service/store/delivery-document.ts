/** One event on its way to one key's webhook. It holds the signature in place of the secret, as the body never changes. */
export interface DeliveryDocument {
  _id: string;
  /** Unique with keyId, so that publishing an event again changes nothing. */
  eventId: string;
  keyId: string;
  accountId: string;
  /** The member who made the key. Absent: the key belongs to the account, or the delivery is of an older release. */
  memberId?: string;
  /** For example job.finished. */
  event: string;
  /** Empty for a test. */
  device: string;
  /** The URL that the key had when the event happened; it may hold user-info, so it is never logged. */
  url: string;
  /** Stands for `url` in an index: a URL may be longer than an indexed value. See url-digest.ts. Absent in old finished deliveries. */
  urlDigest?: string;
  /** The bytes that each attempt sends, always the same. */
  body: Buffer;
  signature: string;
  traceId: string;
  createdAt: Date;
  state: DeliveryStateWord;
  /** Oldest first. */
  attempts: AttemptRecord[];
  /** Beginnings of the latest attempts' responses, oldest first; empty where a response had no text. Lists of deliveries omit them. */
  responses?: string[];
  /** The number of attempts whose end is known. The next attempt has the number after it, even if the end of an earlier try was lost. */
  made: number;
  /** Attempts that may still be made, the one to come included. */
  left: number;
  /** When the next attempt is due; pending ones have it. */
  dueAt?: Date;
  /** When the delivery may be claimed: `dueAt`, or the end of its lease. Pending ones have it. */
  nextAt?: Date;
  /** The fence of the current lease, new with each claim. It begins with the owner's id, and every write of the owner names the fence. */
  claim?: string;
}

export type DeliveryStateWord = 'pending' | 'delivered' | 'failed';

export interface AttemptRecord {
  at: Date;
  status?: number;
  /** Absent: it succeeded. */
  error?: string;
  ms: number;
}
