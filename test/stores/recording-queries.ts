import { type RecordingDocument, RecordingStore } from '../../device-service/store/recordings.js';
import { bounded, NO_QUERY, type StoreUnderTest } from './describe-queries.js';
import { DOCUMENTS, filled, first, idOf, minuteOf, OF_HOST } from './tenants.js';

/** Recordings of ten phones of each account. One in ten goes on, one is to be deleted, and one has an event to be published. */
const recordings = filled(({ at, number, accountId, hostId }): RecordingDocument => {
  const isUnderWay = number % 10 === 0;
  return {
    _id: idOf('rec', at),
    accountId,
    phoneId: `${accountId}_${number % 10}`,
    device: 'demo',
    deviceCreatedBy: 'key_1',
    requestedBy: 'key_1',
    hostId,
    state: isUnderWay ? 'recording' : number % 10 === 1 ? 'deleting' : 'ready',
    ...(isUnderWay ? { underWay: idOf('ph', at) } : { endedAt: minuteOf(at) }),
    startedAt: minuteOf(at),
    durationMs: 1,
    sizeBytes: 1,
    segments: 1,
    hasSecrets: false,
    ...(number % 10 === 2 && { eventPending: true as const }),
  };
});
const underWay = first(recordings, ({ state }) => state === 'recording');
const ready = first(recordings, ({ state }) => state === 'ready');
const deleting = first(recordings, ({ state }) => state === 'deleting');
const pending = first(recordings, ({ eventPending }) => eventPending === true);
const progress = { durationMs: 2, sizeBytes: 2, segments: 1, hasSecrets: true };

export const recordingQueries: StoreUnderTest<RecordingStore> = {
  name: 'recordings',
  collection: 'recordings',
  documents: recordings,
  open: (database) => new RecordingStore(database),
  createIndexes: (database) => new RecordingStore(database).createIndexes(),
  calls: {
    createIndexes: NO_QUERY,
    begin: NO_QUERY,
    find: [(store) => store.find(ready._id)],
    findUnderWay: [(store) => store.findUnderWay(underWay.underWay!)],
    list: [(store) => store.list(ready.phoneId, 3), (store) => store.list(ready.phoneId, DOCUMENTS, idOf('rec', 200))],
    findOfHost: [
      (store) => store.findOfHost('host_1', 'ready', 3),
      (store) =>
        store.findOfHost('host_1', 'deleting', DOCUMENTS, {
          afterId: idOf('rec', 120),
          endedBy: minuteOf(DOCUMENTS),
        }),
    ],
    storageBytes: [(store) => store.storageBytes('acc_1')],
    started: [(store) => store.started(underWay._id, minuteOf(1))],
    progress: [(store) => store.progress(underWay._id, progress)],
    end: [(store) => store.end(underWay._id, { ...progress, state: 'ready', endedAt: minuteOf(2) })],
    beginDelete: [(store) => store.beginDelete(ready._id)],
    beginDeleteOfPhone: [(store) => store.beginDeleteOfPhone(ready.phoneId)],
    forget: [(store) => store.forget(deleting._id)],
    forgetHost: [bounded('all recordings of a host, once', OF_HOST, (store) => store.forgetHost('host_1'))],
    eventsPending: [(store) => store.eventsPending()],
    count: [(store) => store.count(ready.phoneId, 3)],
    eventPublished: [(store) => store.eventPublished(pending._id)],
  },
};
