import type { Db } from 'mongodb';
import { MongoServerError } from 'mongodb';
import type { DeviceEvent } from './device-document.js';

/** MongoDB's code for an index that does not exist. */
const NO_INDEX = 27;

interface Older {
  _id: string;
  healthEvents?: DeviceEvent[];
  deviceEvents?: DeviceEvent[];
}

/** Moves unpublished events from the list `healthEvents` to `deviceEvents`, as not all events are about health any more. */
export async function renameDeviceEvents(database: Db): Promise<void> {
  const devices = database.collection<Older>('devices');
  for (const { _id, healthEvents = [] } of await devices.find({ 'healthEvents.id': { $exists: true } }).toArray()) {
    // Each device is one update, so that a crash neither loses an event nor moves it twice.
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
