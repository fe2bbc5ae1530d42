import { expect } from 'chai';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { type SnapshotDocument, SnapshotStore } from './snapshots.js';

const SAVING: SnapshotDocument = {
  ...{ _id: 'snap_1', accountId: 'acc_1', phoneId: 'ph_1', jobId: 'job_1', hostId: 'host-1', driver: 'simulated' },
  ...{ label: '', state: 'saving', expectedBytes: 500, model: 'phone-720p', android: '14' },
  createdAt: new Date(Date.UTC(2037, 0, 5)),
};

describe('a snapshot whose job failed', () => {
  let opened: TemporaryDatabase;
  beforeEach(async () => (opened = await openTemporaryDatabase()));
  afterEach(() => opened.close());

  it('is failed and takes no room, also when it was ready and its job ended no more, but not once it is deleted', async () => {
    const snapshots = new SnapshotStore(opened.database);
    const documents = opened.database.collection<SnapshotDocument>('snapshots');
    for (const isReady of [false, true]) {
      await documents.insertOne({ ...SAVING });
      if (isReady) await snapshots.saved('snap_1', { sizeBytes: 400, checksum: 'sum' });
      await snapshots.fail('snap_1');
      expect((await snapshots.find('snap_1'))?.state).to.equal('failed');
      expect(await snapshots.storageBytes('acc_1')).to.equal(0);
      await snapshots.beginDelete('snap_1');
      await snapshots.fail('snap_1');
      expect((await documents.findOne({ _id: 'snap_1' }))?.state).to.equal('deleting');
      await documents.deleteOne({ _id: 'snap_1' });
    }
  });
});
