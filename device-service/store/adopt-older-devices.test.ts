import { expect } from 'chai';
import { openTemporaryDatabase, type TemporaryDatabase } from '../../test/temporary-database.js';
import { adoptOlderDevices } from './adopt-older-devices.js';

describe('devices of an older release', () => {
  let opened: TemporaryDatabase;

  beforeEach(async () => {
    opened = await openTemporaryDatabase();
  });
  afterEach(() => opened.close());

  it('get the state that is wanted of them, once', async () => {
    const devices = opened.database.collection<{ _id: string }>('devices');
    await devices.insertMany([
      { _id: 'running', state: 'running', address: { host: '127.0.0.1', port: 1 } },
      { _id: 'stopped', state: 'stopped' },
      { _id: 'restarting', state: 'stopping', job: { id: 'job_1', kind: 'restart' } },
      { _id: 'stopping', state: 'stopping', job: { id: 'job_2', kind: 'stop' } },
      { _id: 'deleting', state: 'deleting', job: { id: 'job_3', kind: 'delete' } },
      { _id: 'creating', state: 'creating', job: { id: 'job_4', kind: 'create', startAfter: true } },
      { _id: 'failed', state: 'failed' },
      { _id: 'new', state: 'failed', wanted: 'running', fence: 7 },
    ] as unknown as { _id: string }[]);
    await adoptOlderDevices(opened.database);
    await adoptOlderDevices(opened.database);
    const found = await devices
      .find({}, { projection: { wanted: 1, made: 1, fence: 1 } })
      .sort({ _id: 1 })
      .toArray();
    expect(found).to.deep.equal([
      { _id: 'creating', wanted: 'running', fence: 0 },
      { _id: 'deleting', wanted: 'gone', made: true, fence: 0 },
      { _id: 'failed', wanted: 'stopped', made: true, fence: 0 },
      { _id: 'new', wanted: 'running', fence: 7 },
      { _id: 'restarting', wanted: 'running', made: true, fence: 0 },
      { _id: 'running', wanted: 'running', made: true, fence: 0 },
      { _id: 'stopped', wanted: 'stopped', made: true, fence: 0 },
      { _id: 'stopping', wanted: 'stopped', made: true, fence: 0 },
    ]);
  });
});
