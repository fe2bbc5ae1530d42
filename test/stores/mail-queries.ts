import { type MailLinkDocument, MailLinkStore } from '../../device-service/store/mail-links.js';
import { type MailWindowDocument, MailWindowStore } from '../../device-service/store/mail-windows.js';
import { type MailDocument, MailStore } from '../../device-service/store/mails.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { filled, first, idOf, minuteOf } from './tenants.js';

/** The database removes nothing of a test before this. */
const LATE = new Date(Date.UTC(2100, 0, 1));

/** One in ten is due; the others were sent. */
const mails = filled(({ at, accountId, number }): MailDocument => ({
  _id: idOf('mail', at),
  messageId: idOf('mail', at),
  kind: 'attention',
  to: `${at}@example.com`,
  accountId,
  data: { device: 'demo' },
  createdAt: minuteOf(at),
  claims: 1,
  giveUpAt: minuteOf(2_000),
  windowMs: 60_000,
  expiresAt: LATE,
  ...(number % 10 === 2 ? { dueAt: minuteOf(at) } : { sentAt: minuteOf(at) }),
}));
const due = first(mails, ({ dueAt }) => dueAt !== undefined);
const expired: MailDocument = { ...due, _id: 'mail_expired', expiresAt: new Date(0) };

export const mailQueries: StoreUnderTest<MailStore> = {
  name: 'mails',
  collection: 'mails',
  documents: [...mails, expired],
  open: (database) => new MailStore(database),
  createIndexes: (database) => new MailStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: [(store) => store.insert({ ...expired, expiresAt: LATE }, minuteOf(1))],
    find: [(store) => store.find(due._id)],
    claim: [bounded('the mails that are due first', 30, (store) => store.claim(minuteOf(400), minuteOf(402)))],
    postpone: [(store) => store.postpone(due, minuteOf(500))],
    end: [(store) => store.end(due, { sentAt: minuteOf(1), expiresAt: LATE })],
    drop: [(store) => store.drop(due)],
    measure: [(store) => store.measure(10)],
  },
};

const windows = filled(({ at }): MailWindowDocument => ({ _id: idOf('window', at), count: 1, endsAt: LATE }));

export const mailWindowQueries: StoreUnderTest<MailWindowStore> = {
  name: 'windows of mails',
  collection: 'mailWindows',
  documents: windows,
  open: (database) => new MailWindowStore(database),
  createIndexes: (database) => new MailWindowStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    count: [(store) => store.count(idOf('window', 7), { most: 5, windowMs: 1_000 }, 0)],
  },
};

const links = filled(({ at }): MailLinkDocument => ({
  _id: idOf('digest', at),
  use: 'reset',
  personId: idOf('per', at),
  mailed: true,
  expiresAt: LATE,
}));

export const mailLinkQueries: StoreUnderTest<MailLinkStore> = {
  name: 'links of mails',
  collection: 'mailLinks',
  documents: links,
  open: (database) => new MailLinkStore(database),
  createIndexes: (database) => new MailLinkStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(idOf('digest', 7), 'reset', minuteOf(1))],
    take: [(store) => store.take(idOf('digest', 8), 'reset', minuteOf(1))],
    removeOf: [(store) => store.removeOf(idOf('per', 9), 'reset')],
  },
};
