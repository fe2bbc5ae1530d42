import { ApiError } from '../../kit/errors/api-error.js';
import { createId } from '../../kit/text/ids.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { StartRecordingRequest } from '../../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import { findDeviceToChange } from '../accounts/callers/leased.js';
import { endpointOf } from '../devices/phones/locate-phone.js';
import { noteUse } from '../devices/phones/note-use.js';
import type { DeviceDocument } from '../store/devices.js';
import type { RecordingDocument } from '../store/recordings.js';
import { removeRecording } from './delete-recording.js';
import { DEFAULT_FPS, FIRST_PICTURE_MS, MAX_OF_PHONE, MAX_UNSET_S, MIN_ROOM_BYTES } from './limits.js';
import { openPieces } from './open-pieces.js';
import { Recorder } from './recorder.js';
import type { RecordingsContext } from './recordings-context.js';

/**
 * Begins to record a phone of this host, and returns the recording with its first picture.
 *
 * The document comes first: its unique field claims the phone, so a phone has one recording at a time on whichever host. Where no picture
 * comes, everything is removed again. After a crash in between, the next process of the host finds a recording without files and forgets it.
 */
export async function startRecording(
  context: RecordingsContext,
  caller: Caller,
  request: StartRecordingRequest,
): Promise<RecordingDocument> {
  const { devices, recordings, quotas, files, recorders, recordingSpace, clock, hostId } = context;
  if (context.recorder === undefined) throw new ApiError('unavailable', 'This service makes no recordings.');
  const device = await findDeviceToChange(devices, caller, request.name);
  const endpoint = endpointOf(device);
  await noteUse(context, device);
  if (!(await recordingSpace.take(MIN_ROOM_BYTES)))
    throw new ApiError('unavailable', "The disk of the phone's host is full. Ask the operator to make room.");
  const id = createId('rec', clock.now());
  const recording: RecordingDocument = {
    ...{ _id: id, accountId: device.accountId, phoneId: device._id, device: device.name, hostId },
    ...{ deviceCreatedBy: device.createdBy, requestedBy: caller.keyId, state: 'recording', underWay: device._id },
    ...(device.labels !== undefined && { deviceLabels: device.labels }),
    ...(caller.groupId !== undefined && { groupId: caller.groupId }),
    ...{ startedAt: new Date(clock.now()), durationMs: 0, sizeBytes: 0, segments: 0, hasSecrets: false },
  };
  // From here on the sweep, a stop and a deletion know that this process makes it.
  const begins = recorders.begin(id);
  const claim = { isHeld: false };
  try {
    await quotas.within(device.accountId, { id, devices: 0, bytes: MIN_ROOM_BYTES }, async () => {
      if ((await recordings.count(device._id, MAX_OF_PHONE)) >= MAX_OF_PHONE) throw tooMany(device.name);
      if (!(await recordings.begin(recording))) throw await underWay(context, device);
      claim.isHeld = true;
    });
    await files.make(id);
    const { name, screen, generation, _id: phoneId } = device;
    const { host, port, identity } = endpoint;
    const stream = openPieces(context, {
      phone: { name, phoneId, generation, identity, host, port, ...screen },
      ...(request.maxSize !== undefined && { maxSize: request.maxSize }),
      fps: request.fps ?? DEFAULT_FPS,
    });
    const recorder = new Recorder(context, { recording, generation, maxS: request.maxS ?? MAX_UNSET_S }, stream);
    begins.attach(recorder);
    const onLate = (): void =>
      stream.abort(new ApiError('unavailable', 'The phone sent no picture in time. Try again.'));
    const limit = clock.after(FIRST_PICTURE_MS, onLate);
    const begun = await recorder.begin().finally(() => limit.cancel());
    // It never rejects.
    void recorder.run(begun).then(() => begins.end());
    return begun;
  } catch (error) {
    try {
      if (claim.isHeld) await removeRecording(context, id);
    } finally {
      begins.end();
    }
    throw error;
  }
}

function tooMany(name: string): ApiError {
  return new ApiError(
    'busy',
    `"${name}" has ${MAX_OF_PHONE} recordings, the most at a time. Delete some: DELETE /v1/devices/${name}/recordings/{id}.`,
  );
}

async function underWay({ recordings }: RecordingsContext, { _id, name }: DeviceDocument): Promise<ApiError> {
  const other = await recordings.findUnderWay(_id);
  const stop = other === null ? '' : ` Stop it: POST /v1/devices/${name}/recordings/${other._id}/stop.`;
  return new ApiError('busy', `A recording of "${name}" is under way.${stop}`);
}
