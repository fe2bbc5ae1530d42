import { readPage } from '../../kit/call/page.js';
import { ApiError } from '../../kit/errors/api-error.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { ListRecordingsRequest } from '../../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import { findDeviceToChange } from '../accounts/callers/leased.js';
import { findVisibleDevice } from '../accounts/callers/visibility.js';
import type { DeviceDocument } from '../store/devices.js';
import type { RecordingDocument } from '../store/recordings.js';
import type { RecordingsContext } from './recordings-context.js';

/** Returns a recording of the device `name`. One of another device is not found. */
export async function findRecording(
  { devices, recordings }: Pick<RecordingsContext, 'devices' | 'recordings'>,
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<RecordingDocument> {
  const device = await findVisibleDevice(devices, caller, name);
  return recordingOf(recordings, device, id);
}

/** Returns a recording of the device `name` for a call that changes it. Throws busy where another caller has a lease of the device. */
export async function findRecordingToChange(
  { devices, recordings }: Pick<RecordingsContext, 'devices' | 'recordings'>,
  caller: Caller,
  { name, id }: { name: string; id: string },
): Promise<RecordingDocument> {
  const device = await findDeviceToChange(devices, caller, name);
  return recordingOf(recordings, device, id);
}

async function recordingOf(
  recordings: RecordingsContext['recordings'],
  { _id, name }: Pick<DeviceDocument, '_id' | 'name'>,
  id: string,
): Promise<RecordingDocument> {
  const recording = await recordings.find(id);
  if (recording?.phoneId === _id && recording.state !== 'deleting') return recording;
  throw new ApiError(
    'not_found',
    `There is no recording "${id}" of the device "${name}". GET /v1/devices/${name}/recordings lists those that there are.`,
  );
}

/** Returns a page of the recordings of a device, newest first. */
export async function listRecordings(
  { devices, recordings }: Pick<RecordingsContext, 'devices' | 'recordings'>,
  caller: Caller,
  request: ListRecordingsRequest,
): Promise<{ items: RecordingDocument[]; nextCursor?: string }> {
  const { _id } = await findVisibleDevice(devices, caller, request.name);
  return readPage(
    request,
    (limit, beforeId) => recordings.list(_id, limit, beforeId),
    (recording) => recording._id,
  );
}
