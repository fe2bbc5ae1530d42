import { type EventDocument, eventKey, EventStore } from '../../webhook-service/store/events.js';
import { NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { filled, first, idOf, minuteOf, OF_TENANT } from './tenants.js';

const events = filled(({ at, number, accountId }): EventDocument => ({
  _id: eventKey(accountId, number + 1),
  accountId,
  seq: number + 1,
  eventId: idOf('evt', at),
  type: 'job.finished',
  device: 'one',
  deviceCreatedBy: 'key_1',
  payload: Buffer.from('{}'),
  expiresAt: minuteOf(at),
})).toSorted((a, b) => (a._id < b._id ? -1 : 1));
const ours = first(events, ({ accountId, seq }) => accountId === 'acc_1' && seq > 2);

export const eventQueries: StoreUnderTest<EventStore> = {
  name: 'events',
  collection: 'events',
  documents: events,
  open: (database) => new EventStore(database),
  createIndexes: (database) => new EventStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    findLastSeq: [(store) => store.findLastSeq('acc_1')],
    findFirstSeq: [(store) => store.findFirstSeq('acc_1')],
    findWritten: [(store) => store.findWritten('acc_1', [ours.eventId, 'none'])],
    listAfter: [(store) => store.listAfter('acc_1', 3, 5), (store) => store.listAfter('acc_1', 3, OF_TENANT)],
    findThere: [(store) => store.findThere([ours._id, eventKey('acc_2', 1), eventKey('acc_1', 999_999)])],
    findExpired: [(store) => store.findExpired(minuteOf(30), 1_000)],
    removeThrough: [(store) => store.removeThrough('acc_1', 5)],
    keepLast: [(store) => store.keepLast('acc_1', ours.seq)],
  },
};
