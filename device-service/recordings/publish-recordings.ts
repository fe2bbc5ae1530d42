import { newEntry } from '../../kit/timeline/new-entry.js';
import { TimelineKind } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import { recordingFinishedPayload } from '../history/events/event-payload.js';
import { publishEach } from '../history/events/publish-each.js';
import { PUBLISH_TIMEOUT_MS } from '../history/limits.js';
import { recordingMessage } from '../record/recording-message.js';
import type { RecordingDocument } from '../store/recordings.js';
import type { RecordingsContext } from './recordings-context.js';

/**
 * Publishes the events of recordings that have ended, and adds each to the timeline of its device. The update that ends a recording marks
 * it, until the webhook service has the event. Publishing it again is harmless, as its id stays the same.
 */
export async function publishRecordings(context: RecordingsContext, signal: AbortSignal): Promise<void> {
  const { recordings, events, log } = context;
  const publish = async (recording: RecordingDocument): Promise<void> => {
    const { _id: id, accountId, device, deviceCreatedBy, deviceLabels = [] } = recording;
    const { endedAt = recording.startedAt } = recording;
    const place = { accountId, device, deviceCreatedBy, deviceLabels };
    const payload = recordingFinishedPayload(recordingMessage(recording), endedAt);
    const event = { id, type: 'recording.finished', ...place, payload };
    await events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
    addToTimeline(context, recording);
  };
  await publishEach(
    recordings.eventsPending(),
    { publish, note: ({ _id }) => recordings.eventPublished(_id) },
    { signal, log },
  );
}

/** The queue drops the entry where the timeline of the device is off. */
function addToTimeline({ timelineQueue }: RecordingsContext, recording: RecordingDocument): void {
  const { _id, phoneId, state, requestedBy, startedAt, durationMs, reason } = recording;
  const entry = newEntry({
    // The id has the recording's own time and number, so that it has only one entry.
    id: `tl_${_id.slice(_id.indexOf('_') + 1)}`,
    ...{ phoneId, durationMs, kind: TimelineKind.RECORDING, keyId: requestedBy, atMs: startedAt.getTime() },
    request: { recording: _id },
    outcome: state === 'ready' ? 'done' : state,
    ...(reason !== undefined && { message: reason }),
  });
  timelineQueue.add({ phoneId, heldBytes: 0, make: () => entry });
}
