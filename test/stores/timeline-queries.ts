import { type TimelineDocument, type TimelineKindWord, TimelineStore } from '../../device-service/store/timeline.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { filled, first, idOf, minuteOf, OF_TENANT } from './tenants.js';

const KINDS: readonly TimelineKindWord[] = ['act', 'input', 'shell'];

const BOTH = 'entries of one kind of a phone: an index for each pair of filters would cost every entry a write';

/** One phone for each account; its entries are of three kinds and by two keys. */
const entries = filled(({ at, number, accountId }): TimelineDocument => ({
  _id: idOf('tl', at),
  phoneId: `ph_${accountId}`,
  accountId,
  at: minuteOf(at),
  kind: KINDS[number % KINDS.length] ?? 'act',
  key: number % 2 === 0 ? 'agent' : 'panel',
  request: '{}',
  outcome: 'done',
  durationMs: 1,
  app: '',
  after: Buffer.from('picture'),
  hasAfter: true,
  bytes: 1_000,
}));
const ours = first(entries, ({ phoneId }) => phoneId === 'ph_acc_1');
const page = {
  phoneId: 'ph_acc_1',
  kind: undefined,
  key: undefined,
  fromId: undefined,
  beforeId: undefined,
  limit: 5,
};
const all = { ...page, limit: OF_TENANT };

export const timelineQueries: StoreUnderTest<TimelineStore> = {
  name: 'timelines',
  collection: 'timeline',
  documents: entries,
  open: (database) => new TimelineStore(database),
  createIndexes: (database) => new TimelineStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    list: [
      (store) => store.list(page),
      (store) => store.list({ ...page, fromId: idOf('tl', 100), beforeId: idOf('tl', 200) }),
      (store) => store.list({ ...all, kind: 'act' }),
      (store) => store.list({ ...all, key: 'agent', beforeId: idOf('tl', 200) }),
      bounded(BOTH, OF_TENANT / KINDS.length, (store) => store.list({ ...all, kind: 'shell', key: 'agent' })),
    ],
    read: [(store) => store.read({ ...page, fromId: idOf('tl', 50) }), (store) => store.read(all)],
    find: [(store) => store.find('ph_acc_1', ours._id)],
    findOldest: [(store) => store.findOldest('acc_1', 5), (store) => store.findOldest('acc_1', 5, ours._id)],
    findBefore: [(store) => store.findBefore(idOf('tl', 20), 100)],
    findOfPhone: [(store) => store.findOfPhone('ph_acc_1', 5)],
    remove: [(store) => store.remove([ours._id, 'none'])],
  },
};
