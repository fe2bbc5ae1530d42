import type { Db } from 'mongodb';
import { MongoServerError } from 'mongodb';
import type { DeviceEvent } from './device-document.js';

/** MongoDB's code for an index that is not there. */
const NO_INDEX = 27;

interface Older {
  _id: string;
  healthEvents?: DeviceEvent[];
  deviceEvents?: DeviceEvent[];
}

/** Events that are to be published have a list of another name, as there are further kinds than those of health. */
export async function renameDeviceEvents(database: Db): Promise<void> {
  const devices = database.collection<Older>('devices');
  for (const { _id, healthEvents = [] } of await devices.find({ 'healthEvents.id': { $exists: true } }).toArray()) {
    // In one update each, so that a crash neither loses an event nor moves it twice.
    await devices.updateOne(
      { _id, 'healthEvents.id': { $exists: true } },
      { $push: { deviceEvents: { $each: healthEvents } }, $unset: { healthEvents: '' } },
    );
  }
  try {
    await devices.dropIndex('health_events');
  } catch (error) {
    if (!(error instanceof MongoServerError) || error.code !== NO_INDEX) throw error;
  }
}
