import { ApiError } from '../../../kit/errors/api-error.js';
import { createJsonEncoders } from '../../../kit/json/encode.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { TimelineEntrySchema, TimelineFormat } from '../../../proto/gen/cloudphone/device/v1/timeline_pb.js';
import type { ExportTimelineRequest } from '../../../proto/gen/cloudphone/device/v1/timeline_service_pb.js';
import { findVisibleDevice } from '../../accounts/callers/visibility.js';
import type { TimelineDocument } from '../../store/timeline.js';
import { entryMessage } from './entry-message.js';
import { exportPage, PAGE_POLICY } from './export-page.js';
import { idAt } from './list-timeline.js';
import type { HistoryContext } from '../history-context.js';

/** Most bytes of an export's entries, as a response between services has at most 32 MiB. The number is part of the contract. */
const MAX_EXPORT_BYTES = 24 * 1024 * 1024;

/** How many entries are read at a time. Most entries have about 50 KB. */
const READ_AT_ONCE = 50;

const encode = createJsonEncoders()(TimelineEntrySchema);

/** Returns the entries of a range of time as one file. */
export async function exportTimeline(
  { devices, timeline }: HistoryContext,
  caller: Caller,
  { name, from, to, format = TimelineFormat.HTML }: ExportTimelineRequest,
): Promise<{ contentType: string; data: Buffer; fileName: string; policy?: string }> {
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
      if (bytes > MAX_EXPORT_BYTES) throw tooLarge(entry.at);
      lines.push(line);
    }
    fromId = read[READ_AT_ONCE]?._id;
    if (fromId === undefined) break;
  }
  if (format === TimelineFormat.JSONL) {
    const data = Buffer.from(lines.map((line) => `${line}\n`).join(''));
    return { contentType: 'application/x-ndjson', data, fileName: `timeline-${name}.jsonl` };
  }
  const data = Buffer.from(exportPage(name, lines));
  return { contentType: 'text/html; charset=utf-8', data, fileName: `timeline-${name}.html`, policy: PAGE_POLICY };
}

/** Returns an entry as JSON on one line, with its pictures in place of their paths. */
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
