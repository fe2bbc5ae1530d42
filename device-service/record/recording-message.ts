import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { enumOf } from '../../kit/text/wire-words.js';
import {
  type Recording,
  RecordingSchema,
  RecordingStateSchema,
} from '../../proto/gen/cloudphone/device/v1/recording_pb.js';
import type { RecordingDocument } from '../store/recordings.js';

/** Returns a recording as callers see it. */
export function recordingMessage(recording: RecordingDocument): Recording {
  const { _id: id, device, state, startedAt, endedAt, durationMs, sizeBytes, segments, hasSecrets, reason } = recording;
  return create(RecordingSchema, {
    ...{ id, device, durationMs, segments, hasSecrets },
    state: enumOf(RecordingStateSchema, state),
    startedAt: timestampFromDate(startedAt),
    ...(endedAt !== undefined && { endedAt: timestampFromDate(endedAt) }),
    size: sizeBytes,
    ...(reason !== undefined && { reason }),
  });
}
