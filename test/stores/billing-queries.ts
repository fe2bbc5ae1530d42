import { type LedgerEntry, LedgerStore, lineId } from '../../device-service/store/ledger.js';
import { type ReservationDocument, ReservationStore } from '../../device-service/store/reservations.js';
import { type TopupDocument, TopupStore } from '../../device-service/store/topups.js';
import { type UsageDay, UsageDayStore } from '../../device-service/store/usage-days.js';
import { NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf } from './tenants.js';

/** Most lines are charges. */
const entries = filled(({ at, number, accountId }): LedgerEntry => {
  const phoneId = idOf('ph', number % 4);
  const line = {
    _id: lineId(accountId, number),
    accountId,
    seq: number,
    at: minuteOf(at),
    writtenAt: minuteOf(at),
    amountMicros: -1,
    balanceMicros: 1,
    minutes: 1,
    trialMinutes: 0,
  };
  if (number % 6 === 0) return { ...line, kind: 'credit', dedupe: `credit/${at}` };
  if (number % 20 === 5) return { ...line, kind: 'reversal', dedupe: `reversal/${at}` };
  const device = { phoneId, name: 'one', createdBy: 'key_1', plan: 'minute' as const };
  return number % 6 === 1
    ? { ...line, kind: 'month', dedupe: `month/${idOf('ph', at)}/1`, device }
    : { ...line, kind: 'minute', dedupe: `minute/${idOf('ph', at % 20)}/${1_000 + at}`, device };
});
const month = first(entries, ({ kind }) => kind === 'month');
const minute = first(entries, ({ kind }) => kind === 'minute');
const [, minutePhone = ''] = minute.dedupe.split('/');

export const entryQueries: StoreUnderTest<LedgerStore> = {
  name: 'the ledger',
  collection: 'ledger',
  documents: entries.toSorted((a, b) => (a._id < b._id ? -1 : 1)),
  open: (database) => new LedgerStore(database),
  createIndexes: (database) => new LedgerStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    findLast: [(store) => store.findLast('acc_1')],
    findWritten: [(store) => store.findWritten([minute.dedupe, month.dedupe, 'none'])],
    findMonth: [(store) => store.findMonth(month.dedupe.split('/')[1] ?? '', 1)],
    findGreatest: [(store) => store.findGreatest(`minute/${minutePhone}/`, `minute/${minutePhone}/9999`)],
    listAfter: [(store) => store.listAfter('acc_1', 3, 20)],
    listShown: [undefined, lineId('acc_1', 30)].map(
      (beforeId) => (store: LedgerStore) =>
        store.listShown({ accountId: 'acc_1', kinds: ['minute', 'credit', 'month'], beforeId, limit: 10 }),
    ),
    listPayments: [
      (store) => store.listPayments('acc_1', 'credit', minuteOf(DOCUMENTS)),
      (store) => store.listPayments('acc_2', 'reversal', minuteOf(DOCUMENTS)),
    ],
    listByDedupe: [(store) => store.listByDedupe(`minute/${minutePhone}/`, `minute/${minutePhone}0`)],
    listAll: [(store) => store.listAll('acc_1')],
  },
};

const reservations = filled(({ at, accountId }): ReservationDocument => ({
  _id: idOf('ph', at),
  accountId,
  expiresAt: minuteOf(at),
}));

export const reservationQueries: StoreUnderTest<ReservationStore> = {
  name: 'reservations',
  collection: 'reservations',
  documents: reservations,
  open: (database) => new ReservationStore(database),
  createIndexes: (database) => new ReservationStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: [(store) => store.insert({ _id: idOf('ph', 1), accountId: 'acc_1', expiresAt: minuteOf(DOCUMENTS) })],
    delete: [(store) => store.delete(idOf('ph', 1))],
    findLapsed: [(store) => store.findLapsed(minuteOf(30)), (store) => store.findLapsed(minuteOf(DOCUMENTS))],
  },
};

const topups = filled(({ at, number, accountId }): TopupDocument => ({
  _id: idOf('top', at),
  accountId,
  amountMicros: 1,
  state: number % 2 === 0 ? 'open' : 'paid',
  createdAt: minuteOf(at),
  expiresAt: minuteOf(at),
}));
const opened = first(topups, ({ state }) => state === 'open');

export const topupQueries: StoreUnderTest<TopupStore> = {
  name: 'top-ups',
  collection: 'topups',
  documents: topups,
  open: (database) => new TopupStore(database),
  createIndexes: (database) => new TopupStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(opened._id)],
    list: [(store) => store.list('acc_1', 5), (store) => store.list('acc_1', DOCUMENTS, idOf('top', 200))],
    move: [(store) => store.move(opened._id, ['open', 'pending'], 'failed')],
    setPaid: [(store) => store.setPaid(opened._id, minuteOf(1))],
    addReversal: [(store) => store.addReversal(opened._id, 're_1', 1)],
    undoReversal: [(store) => store.undoReversal(opened._id, 're_1')],
  },
};

const usageDays = filled(({ at, accountId }): UsageDay => ({
  _id: `${accountId}/2026-11-${String(1 + (at % 30)).padStart(2, '0')}/${idOf('ph', at)}`,
  ...{ phoneId: idOf('ph', at), name: 'one', createdBy: 'key_1', plan: 'minute' },
  ...{ seq: at + 1, minutes: 1, amountMicros: -1 },
})).toSorted((a, b) => (a._id < b._id ? -1 : 1));
const known = first(usageDays, ({ _id }) => _id.startsWith('acc_1/'));

export const usageDayQueries: StoreUnderTest<UsageDayStore> = {
  name: 'the sums of ledgers',
  collection: 'usage_days',
  documents: usageDays,
  open: (database) => new UsageDayStore(database),
  calls: {
    // By the id of another collection.
    summedThrough: NO_QUERY,
    noteSummed: NO_QUERY,
    find: [(store) => store.find([known._id, 'acc_1/none'])],
    replace: [(store) => store.replace([{ day: { ...known, seq: known.seq + 1 }, before: known.seq }])],
    list: [(store) => store.list('acc_1', '2026-11-05', '2026-11-12')],
    listNewest: [(store) => store.listNewest('acc_1', '2026-11-12')],
  },
};
