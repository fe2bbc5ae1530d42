import { ApiError } from '../../kit/errors.js';
import { createJsonEncoders } from '../../kit/json/encode.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { TimelineEntrySchema, TimelineFormat } from '../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { ExportTimelineRequest } from '../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { findVisibleDevice } from '../access/visibility.js';
import type { TimelineDocument } from '../store/timeline.js';
import { entryMessage } from './entry-message.js';
import { exportPage } from './export-page.js';
import { idAt, type TimelineParts } from './list-timeline.js';

/** Largest export, bytes of its entries: a response between services has at most 32 MiB. Part of the contract. */
const EXPORT_MAX_BYTES = 24 * 1024 * 1024;

/** Entries that are read at once; 50 KB each at most times. */
const READ_AT_ONCE = 50;

const encode = createJsonEncoders()(TimelineEntrySchema);

/** Returns the entries of a time as one file. */
export async function exportTimeline(
  { devices, timeline }: TimelineParts,
  caller: Caller,
  { name, from, to, format = TimelineFormat.HTML }: ExportTimelineRequest,
): Promise<{ contentType: string; data: Buffer }> {
  const { _id: phoneId } = await findVisibleDevice(devices, caller, name);
  const beforeId = idAt(to);
  const lines: string[] = [];
  let bytes = 0;
  let fromId = idAt(from);
  for (;;) {
    const read = await timeline.read({ phoneId, fromId, beforeId, limit: READ_AT_ONCE + 1 });
    for (const entry of read.slice(0, READ_AT_ONCE)) {
      const line = exportedLine(entry, name);
      bytes += Buffer.byteLength(line) + 1;
      if (bytes > EXPORT_MAX_BYTES) throw tooLarge(entry.at);
      lines.push(line);
    }
    fromId = read[READ_AT_ONCE]?._id;
    if (fromId === undefined) break;
  }
  return format === TimelineFormat.JSONL
    ? { contentType: 'application/x-ndjson', data: Buffer.from(lines.map((line) => `${line}\n`).join('')) }
    : { contentType: 'text/html; charset=utf-8', data: Buffer.from(exportPage(name, lines)) };
}

/** An entry as JSON on one line, with its pictures in place of their paths. */
function exportedLine(entry: TimelineDocument, device: string): string {
  const message = entryMessage(entry, device);
  if (entry.before !== undefined) message.before = dataUrl(entry.before);
  if (entry.after !== undefined) message.after = dataUrl(entry.after);
  return encode(message);
}

function dataUrl(picture: Buffer): string {
  return `data:image/webp;base64,${picture.toString('base64')}`;
}

function tooLarge(at: Date): ApiError {
  return new ApiError(
    'bad_request',
    `The entries of this time take more than 24 MiB. Those that began before to=${at.toISOString()} fit into one export; go on from there ` +
      'with another.',
  );
}
