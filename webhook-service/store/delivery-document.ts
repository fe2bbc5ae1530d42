/** One event on its way to one key's webhook. Holds the signature and not the secret: the body never changes. */
export interface DeliveryDocument {
  _id: string;
  /** Unique with keyId, so that publishing an event again changes nothing. */
  eventId: string;
  keyId: string;
  accountId: string;
  /** For example job.finished. */
  event: string;
  /** Empty for a test. */
  device: string;
  /** As the key had it when the event happened; may hold user-info, so it is never logged. */
  url: string;
  /** Stands for `url` in an index: a URL may be longer than an indexed value. See url-digest.ts. Absent: a finished one of an older release. */
  urlDigest?: string;
  /** Sent to the byte on each attempt. */
  body: Buffer;
  signature: string;
  traceId: string;
  createdAt: Date;
  state: DeliveryStateWord;
  /** Oldest first. */
  attempts: AttemptRecord[];
  /** Beginnings of the responses to the latest attempts, oldest first; empty without a text. Apart from `attempts`, as lists do without. */
  responses?: string[];
  /** Attempts whose end is known. The next one has this number plus one, also when it was begun before and its end was lost. */
  made: number;
  /** Attempts that may still be made, the one to come included. */
  left: number;
  /** When the next attempt is due; pending ones have it. */
  dueAt?: Date;
  /** When the delivery may be claimed: `dueAt`, or the end of its claim. Pending ones have it. */
  nextAt?: Date;
  /** Id of the current claim, new with each; every write of a claimant names it. */
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
