import type { Db } from 'mongodb';

/**
 * Brings devices that an older release wrote to today's shape. They get a wanted state, the mark that their phone was made, and the epoch
 * by which they are driven. The host finds their addresses anew. This is safe to repeat, and to end in the middle.
 */
export async function adoptOlderDevices(database: Db): Promise<void> {
  const devices = database.collection('devices');
  const older = { wanted: { $exists: false }, gone: { $exists: false } };
  const common = { fence: 0 };
  await devices.updateMany({ ...older, 'job.kind': 'delete' }, { $set: { ...common, wanted: 'gone', made: true } });
  await devices.updateMany(
    { ...older, state: 'creating', 'job.startAfter': true },
    { $set: { ...common, wanted: 'running' } },
  );
  await devices.updateMany({ ...older, state: 'creating' }, { $set: { ...common, wanted: 'stopped' } });
  const runs = { $or: [{ state: { $in: ['running', 'starting'] } }, { 'job.kind': 'restart' }] };
  await devices.updateMany({ ...older, ...runs }, { $set: { ...common, wanted: 'running', made: true } });
  // A device whose creation failed may have no phone. An inspection shows that, and then the device can be deleted.
  await devices.updateMany(older, { $set: { ...common, wanted: 'stopped', made: true } });
  // Hosts of the older shape have no lease; their next process writes a new record.
  await database.collection('hosts').deleteMany({ epoch: { $exists: false } });
}
