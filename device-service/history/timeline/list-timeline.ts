import { timestampMs, type Timestamp } from '@bufbuild/protobuf/wkt';
import { ApiError } from '../../../kit/errors/api-error.js';
import { firstId } from '../../../kit/text/ids.js';
import { readPage } from '../../../kit/call/page.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { TimelineKindSchema } from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { ListTimelineRequest } from '../../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import type { ListedEntry, TimelineDocument, TimelineKindWord } from '../../store/timeline.js';
import type { HistoryContext } from '../history-context.js';

/** Returns a page of the entries of a device, newest first. */
export async function listTimeline(
  { devices, timeline }: HistoryContext,
  caller: Caller,
  request: ListTimelineRequest,
): Promise<{ items: ListedEntry[]; nextCursor?: string }> {
  const { _id: phoneId } = await findVisibleDevice(devices, caller, request.name);
  const { kind, key } = request;
  const fromId = idAt(request.from);
  const end = idAt(request.to);
  return readPage(
    request,
    (limit, after) => {
      const beforeId = after === undefined || (end !== undefined && end < after) ? end : after;
      return timeline.list({
        phoneId,
        kind: kind === undefined ? undefined : (wordOf(TimelineKindSchema, kind) as TimelineKindWord),
        key,
        fromId,
        beforeId,
        limit,
      });
    },
    ({ _id }) => _id,
  );
}

/** Returns a picture of an entry of a device. Throws not_found. */
export async function findPicture(
  { devices, timeline }: HistoryContext,
  caller: Caller,
  { name, id }: { name: string; id: string },
  side: 'before' | 'after',
): Promise<Buffer> {
  const { _id: phoneId } = await findVisibleDevice(devices, caller, name);
  const entry: TimelineDocument | null = await timeline.find(phoneId, id);
  const picture = entry?.[side];
  if (picture !== undefined) return picture;
  const list = `GET /v1/devices/${name}/timeline lists its entries, each with the pictures that it has.`;
  throw new ApiError(
    'not_found',
    entry === null
      ? `There is no such entry in the timeline of "${name}". ${list}`
      : `The entry has no picture "${side}". ${list}`,
  );
}

/** The latest time that an id can have: 45 bits, ms since the epoch. */
const LATEST_MS = 2 ** 45 - 1;

/** Returns the first id that an entry of this time or later can have. */
export function idAt(time: Timestamp | undefined): string | undefined {
  if (time === undefined) return undefined;
  return firstId('tl', Math.min(LATEST_MS, Math.max(0, Math.ceil(timestampMs(time)))));
}
