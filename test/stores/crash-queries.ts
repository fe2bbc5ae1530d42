import { type CrashDocument, CrashStore } from '../../device-service/store/crashes.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf } from './tenants.js';

/** Crashes of ten phones of each account; one in ten has an event to be published. */
const crashes = filled(({ at, number, accountId }): CrashDocument => ({
  _id: idOf('crs', at),
  accountId,
  phoneId: `${accountId}_${number % 10}`,
  device: 'demo',
  deviceCreatedBy: 'key_1',
  at: minuteOf(at),
  kind: 'java',
  package: 'com.example',
  process: 'com.example',
  reason: 'java.lang.Error',
  trace: 'FATAL EXCEPTION: main',
  slot: idOf('slot', at),
  ...(number % 10 === 2 && { eventPending: true as const }),
}));
const pending = first(crashes, ({ eventPending }) => eventPending === true);
const ours = first(crashes, ({ eventPending }) => eventPending === undefined);

export const crashQueries: StoreUnderTest<CrashStore> = {
  name: 'crashes',
  collection: 'crashes',
  documents: crashes,
  open: (database) => new CrashStore(database),
  createIndexes: (database) => new CrashStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(ours._id)],
    findBySlot: [(store) => store.findBySlot(ours.slot)],
    findBetween: [
      (store) =>
        store.findBetween(
          { phoneId: ours.phoneId, process: 'com.example', kinds: ['java', 'native'] },
          idOf('crs', 0),
          idOf('crs', DOCUMENTS),
        ),
    ],
    list: [(store) => store.list(ours.phoneId, 3), (store) => store.list(ours.phoneId, DOCUMENTS, idOf('crs', 200))],
    count: [(store) => store.count(ours.phoneId, 3)],
    findOldestOf: [(store) => store.findOldestOf(ours.phoneId, 3)],
    removeOfPhone: [(store) => store.removeOfPhone(ours.phoneId, idOf('crs', 200))],
    removeFrom: [(store) => store.removeFrom(ours.phoneId, idOf('crs', DOCUMENTS - 200))],
    phones: [bounded('all crashes, once an hour', DOCUMENTS, (store) => store.phones())],
    eventsPending: [(store) => store.eventsPending()],
    eventPublished: [(store) => store.eventPublished(pending._id)],
  },
};
