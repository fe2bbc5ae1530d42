import { create } from '@bufbuild/protobuf';
import type { RecordStep } from '../../../proto/gen/cloudphone/device/v1/group_pb.js';
import {
  StartRecordingRequestSchema,
  StopRecordingRequestSchema,
} from '../../../proto/gen/cloudphone/device/v1/recording_service_pb.js';
import type { RecordingDocument } from '../../store/recordings.js';
import type { FleetContext } from '../fleet-context.js';
import { findGroupDevice, type StepContext } from './group-device.js';
import { onceAvailable } from './once-available.js';

/**
 * Begins the recording of a step. Nothing is to do where the group records the phone already, as after a crash between the first picture
 * and the next step. A recording that somebody else began is `busy`. The end is noticed by the recorder (recordings/is-group-over.ts).
 */
export async function beginRecording(parts: FleetContext, step: RecordStep, context: StepContext): Promise<void> {
  const { call } = context;
  const { _id, name } = await findGroupDevice(parts, context);
  await onceAvailable(parts.clock, call.signal, async () => {
    if ((await recordingOfGroup(parts, _id, call.caller.groupId)) !== undefined) return;
    const { maxS, maxSize, fps } = step;
    const bounds = {
      ...(maxS !== undefined && { maxS }),
      ...(maxSize !== undefined && { maxSize }),
      ...(fps !== undefined && { fps }),
    };
    await parts.recordingCalls.start(call, call.caller, create(StartRecordingRequestSchema, { name, ...bounds }));
  });
}

/** Ends the recording that the group began on the device. One that has ended by itself is left as it is. */
export async function endRecording(parts: FleetContext, context: StepContext): Promise<void> {
  const { call } = context;
  const { _id, name } = await findGroupDevice(parts, context);
  await onceAvailable(parts.clock, call.signal, async () => {
    const recording = await recordingOfGroup(parts, _id, call.caller.groupId);
    if (recording === undefined) return;
    await parts.recordingCalls.stop(call, call.caller, create(StopRecordingRequestSchema, { name, id: recording._id }));
  });
}

async function recordingOfGroup(
  { recordings }: FleetContext,
  phoneId: string,
  groupId: string | undefined,
): Promise<RecordingDocument | undefined> {
  const underWay = await recordings.findUnderWay(phoneId);
  return underWay !== null && underWay.groupId === groupId ? underWay : undefined;
}
