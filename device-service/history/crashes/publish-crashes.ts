import { newEntry } from '../../../kit/timeline/new-entry.js';
import { TimelineKind } from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { CrashDocument } from '../../store/crashes.js';
import { appCrashedPayload } from '../events/event-payload.js';
import { publishEach } from '../events/publish-each.js';
import type { HistoryContext } from '../history-context.js';
import { PUBLISH_TIMEOUT_MS } from '../limits.js';
import { typeOf } from './crash-id.js';

/**
 * Publishes the events of crashes, and adds each to the timeline of its device. The insertion of a crash marks it, until the webhook service
 * has the event. Publishing it again is harmless, as its id stays the same.
 */
export async function publishCrashes(
  context: Pick<HistoryContext, 'crashes' | 'events' | 'timelineQueue' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  const { crashes, events, log } = context;
  const publish = async (crash: CrashDocument): Promise<void> => {
    const { _id: id, kind, accountId, device, deviceCreatedBy, deviceLabels = [] } = crash;
    const type = typeOf(kind);
    const place = { accountId, device, deviceCreatedBy, deviceLabels };
    const event = { id, type, ...place, payload: appCrashedPayload(type, crash) };
    await events?.publish({ event }, { timeoutMs: PUBLISH_TIMEOUT_MS, signal });
    addToTimeline(context, crash);
  };
  await publishEach(
    crashes.eventsPending(),
    { publish, note: ({ _id }) => crashes.eventPublished(_id) },
    { signal, log },
  );
}

/** The queue drops the entry where the timeline of the device is off. */
function addToTimeline({ timelineQueue }: Pick<HistoryContext, 'timelineQueue'>, crash: CrashDocument): void {
  const { _id, phoneId, at, kind, process, reason } = crash;
  const entry = newEntry({
    // The id has the crash's own time and digest, so that it has only one entry.
    id: `tl_${_id.slice(_id.indexOf('_') + 1)}`,
    ...{ phoneId, kind: TimelineKind.CRASH, atMs: at.getTime(), app: crash.package },
    request: { crash: _id, type: kind, process, reason },
    outcome: kind === 'anr' ? 'not_responding' : 'crashed',
    message: reason,
  });
  timelineQueue.add({ phoneId, heldBytes: 0, make: () => entry });
}
