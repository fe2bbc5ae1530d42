import { type AuditDocument, AuditStore, END_SEQ } from '../../device-service/store/audit.js';
import { lineId } from '../../device-service/store/ledger.js';
import { NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { filled, minuteOf } from './tenants.js';

/** Entries of ten actors and five devices of each account. */
const entries = filled(({ at, number, accountId }): AuditDocument => ({
  _id: lineId(accountId, number),
  accountId,
  seq: number,
  at: minuteOf(at),
  actorKind: 'key',
  actorId: `key_${number % 10}`,
  actorName: `name ${number % 10}`,
  role: 'owner',
  action: `DeviceService.Act${number % 3}`,
  ...(number % 2 === 0 && { device: `device-${number % 5}` }),
  outcome: 'ok',
  address: '192.0.2.1',
  requestId: 'req_1',
  before: '',
  digest: '',
  writer: 'wri_1',
}));

const ALL = { first: 1, end: END_SEQ };

export const auditQueries: StoreUnderTest<AuditStore> = {
  name: 'audit logs',
  collection: 'audit',
  documents: entries.toSorted((a, b) => (a._id < b._id ? -1 : 1)),
  open: (database) => new AuditStore(database),
  createIndexes: (database) => new AuditStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    findLast: [(store) => store.findLast('acc_1')],
    findByIds: [(store) => store.findByIds([lineId('acc_1', 3), lineId('acc_1', 4)])],
    list: [
      (store) => store.list('acc_1', {}, ALL, 5),
      (store) => store.list('acc_1', {}, { first: 10, end: 12 }, 100),
      (store) => store.list('acc_1', { actorId: 'key_3' }, ALL, 100),
      (store) => store.list('acc_1', { actorName: 'name 4' }, ALL, 100),
      (store) => store.list('acc_1', { action: 'DeviceService.Act1' }, ALL, 100),
      (store) => store.list('acc_1', { device: 'device-2' }, ALL, 100),
    ],
    firstSince: [(store) => store.firstSince('acc_1', minuteOf(100))],
    accountAfter: [(store) => store.accountAfter(''), (store) => store.accountAfter('acc_1')],
    removeBefore: [(store) => store.removeBefore('acc_1', minuteOf(100))],
  },
};
