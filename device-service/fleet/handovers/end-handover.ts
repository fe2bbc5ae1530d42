import { newEntry } from '../../../kit/timeline/new-entry.js';
import { TimelineKind } from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { PastHandover } from '../../store/handover.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Ends the hand-over of a device, if it is still as it was read. Returns it as it ended; undefined: it was taken or has ended since.
 *
 * One update of the device ends it; from then on the link has no effect, and programs go on. What a crash leaves behind that is a share that
 * nobody can use, and a timeline without the entry. Callers that wait look again every second.
 */
export async function endHandover(
  context: FleetContext,
  device: DeviceDocument,
  ended: Omit<PastHandover['ended'], 'at'>,
  { ifExpired = false } = {},
): Promise<PastHandover | undefined> {
  const { devices, shares, deviceEvents, deviceNews, timelineQueue, forgetCallers, clock, log } = context;
  const at = new Date(clock.now());
  const past = await devices.handovers.end(device, { at, ...ended }, ifExpired ? at : undefined);
  if (past === undefined) return undefined;
  deviceEvents.soon();
  deviceNews.wake(device.accountId);
  const entry = entryOf(device, past);
  timelineQueue.add({ phoneId: device._id, heldBytes: 0, make: () => entry });
  await shares
    .remove(device._id, past.shareId)
    .then(forgetCallers)
    .catch((error: unknown) => log.warn({ handover: past.id, err: error }, 'the share of a hand-over was not removed'));
  return past;
}

/** Returns the entry of a hand-over in the timeline: of who ended it, else of the person who had the phone, else of the program that asked. */
function entryOf({ _id: phoneId }: DeviceDocument, { id, reason, requestedBy, begunAt, taken, ended }: PastHandover) {
  const atMs = begunAt.getTime();
  return newEntry({
    id: `tl_${id.slice(id.indexOf('_') + 1)}`,
    phoneId,
    atMs,
    kind: TimelineKind.HANDOVER,
    keyId: ended.by ?? taken?.by ?? requestedBy.id,
    request: { handover: id, reason, ...(ended.note !== undefined && { note: ended.note }) },
    outcome: ended.state,
    durationMs: ended.at.getTime() - atMs,
  });
}
