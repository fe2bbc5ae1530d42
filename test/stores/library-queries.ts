import { type LibraryAppDocument, LibraryStore } from '../../device-service/store/library.js';
import { type LibraryCopyDocument, LibraryCopyStore } from '../../device-service/store/library-copies.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { filled, first, idOf, minuteOf, OF_HOST, OF_TENANT } from './tenants.js';

const OF_ACCOUNT = 'an account has at most 500 apps';

/** Apps of each account. Every third one has the file of the app before it. */
const apps = filled(({ at, number, accountId }): LibraryAppDocument => {
  const name = idOf('app', number);
  const fileOf = number % 3 === 1 ? number - 1 : number;
  return {
    _id: `${accountId}/${name}`,
    accountId,
    name,
    package: 'com.example',
    version: '1',
    sizeBytes: 1,
    sha256: `${accountId}_${idOf('file', fileOf)}`,
    uploadedAt: minuteOf(at),
    idleSince: minuteOf(at),
  };
});
const shared = first(apps, ({ accountId, name }) => accountId === 'acc_1' && name === idOf('app', 1));

export const libraryQueries: StoreUnderTest<LibraryStore> = {
  name: 'library',
  collection: 'library',
  documents: apps,
  open: (database) => new LibraryStore(database),
  createIndexes: (database) => new LibraryStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    put: [(store) => store.put(shared)],
    find: [(store) => store.find('acc_1', shared.name)],
    list: [(store) => store.list('acc_1', 3), (store) => store.list('acc_1', OF_TENANT, idOf('app', 20))],
    count: [(store) => store.count('acc_1', 3)],
    countOfFile: [(store) => store.countOfFile('acc_1', shared.sha256)],
    files: [(store) => store.files('acc_1')],
    storageBytes: [(store) => store.storageBytes('acc_1')],
    findUsed: [(store) => store.findUsed([shared.sha256, 'none'])],
    noteUse: [(store) => store.noteUse('acc_1', shared.name, shared.sha256, minuteOf(1))],
    findIdle: [(store) => store.findIdle(minuteOf(100), 5)],
    removeIdle: [(store) => store.removeIdle(shared)],
    postpone: [(store) => store.postpone(shared, minuteOf(1))],
    delete: [(store) => store.delete('acc_1', shared.name)],
    putBack: NO_QUERY,
    deleteAll: [bounded(OF_ACCOUNT, OF_TENANT, (store) => store.deleteAll('acc_1'))],
  },
};

const copies = filled(({ number, accountId, hostId }): LibraryCopyDocument => {
  const sha256 = `${accountId}_${idOf('file', number % 20)}`;
  return { _id: `${sha256}/${hostId}`, sha256, hostId, sizeBytes: 1 };
});
const copy = first(copies, ({ hostId }) => hostId === 'host_1');

export const libraryCopyQueries: StoreUnderTest<LibraryCopyStore> = {
  name: 'copies of library files',
  collection: 'library_copies',
  documents: copies,
  open: (database) => new LibraryCopyStore(database),
  createIndexes: (database) => new LibraryCopyStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    note: [(store) => store.note(copy)],
    find: [(store) => store.find(copy.sha256)],
    listOfHost: [(store) => store.listOfHost('host_1', 3), (store) => store.listOfHost('host_1', OF_HOST, copy.sha256)],
    forget: [(store) => store.forget(copy)],
    forgetHost: [bounded('all copies of a host, once', OF_HOST, (store) => store.forgetHost('host_1'))],
  },
};
