import { type TemplateDocument, templateNameKey, TemplateStore } from '../../device-service/store/templates.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf, OF_HOST, OF_TENANT } from './tenants.js';

/** Templates of each account. One in ten is being saved, and one in ten being deleted, half of these on no host any more. */
const templates = filled(({ at, number, accountId, hostId }): TemplateDocument => {
  const name = idOf('t', number);
  const isDeleting = number % 10 === 1;
  return {
    _id: idOf('tpl', at),
    accountId,
    name,
    ...(!(isDeleting && at % 2 === 0) && { nameKey: templateNameKey(accountId, name) }),
    snapshotId: idOf('snap', at),
    phoneId: `${accountId}_${number % 10}`,
    jobId: idOf('job', at),
    driver: number % 4 === 0 ? 'kubernetes' : 'simulated',
    model: 'phone-720p',
    android: '14',
    state: number % 10 === 0 ? 'saving' : isDeleting ? 'deleting' : 'ready',
    ...(isDeleting && { stateBefore: 'ready' }),
    sizeBytes: 1,
    hosts: isDeleting && at % 2 === 0 ? [] : [{ hostId }],
    createdAt: minuteOf(at),
  };
});
const saving = first(templates, ({ state }) => state === 'saving');
const ready = first(templates, ({ state }) => state === 'ready');
const marked = first(templates, ({ state, nameKey }) => state === 'deleting' && nameKey !== undefined);
const unheld = first(templates, ({ state, hosts }) => state === 'deleting' && hosts.length === 0);

const saved = { sizeBytes: 1, archive: { sizeBytes: 1, checksum: '' } };

export const templateQueries: StoreUnderTest<TemplateStore> = {
  name: 'templates',
  collection: 'templates',
  documents: templates,
  open: (database) => new TemplateStore(database),
  createIndexes: (database) => new TemplateStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    insert: NO_QUERY,
    find: [(store) => store.find(ready._id)],
    findByName: [(store) => store.findByName(ready.accountId, ready.name)],
    findByIds: [(store) => store.findByIds([ready._id, saving._id])],
    list: [(store) => store.list('acc_1', 3), (store) => store.list('acc_1', DOCUMENTS, idOf('t', 20))],
    count: [bounded('an account has at most 100 templates', OF_TENANT, (store) => store.count('acc_1'))],
    findOfAccount: [(store) => store.findOfAccount('acc_1')],
    storageBytes: [(store) => store.storageBytes('acc_1')],
    findOpen: [(store) => store.findOpen()],
    findReady: [(store) => store.findReady('kubernetes')],
    saved: [(store) => store.saved(saving._id, 'host_1', saved)],
    fail: [(store) => store.fail(saving._id)],
    addHost: [(store) => store.addHost(ready._id, 'host_9')],
    beginDelete: [(store) => store.beginDelete(ready)],
    keep: [(store) => store.keep(marked._id)],
    release: [(store) => store.release(marked._id)],
    removedAt: [(store) => store.removedAt(marked._id, marked.hosts[0]?.hostId ?? '')],
    forget: [(store) => store.forget(unheld._id)],
    forgetHost: [
      bounded('templates of a host, once, and then all that are ready', DOCUMENTS + OF_HOST, (store) =>
        store.forgetHost('host_1'),
      ),
    ],
  },
};
