import type { ServerSentEvent } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

/** How long a client waits until it connects again, ms. */
const RETRY_MS = 3_000;

/** The beginning of each stream, before its first event. */
export const STREAM_BEGIN = `retry: ${RETRY_MS}\n`;

/**
 * Returns an event as text (HTML, section 9.2.5). An event without a type becomes a comment and an `id`, which is a position in the
 * stream. Clients store an `id` that comes without data, and dispatch nothing. A stream without places has no `id`.
 */
export function eventText({ id, type, data }: Pick<ServerSentEvent, 'id' | 'type' | 'data'>): string {
  const place = id === '' ? '' : `id: ${id}\n`;
  if (type === '') return `:\n${place}\n`;
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  return `${place}event: ${type}\n${dataLines(text)}\n`;
}

/**
 * Returns the last event of a stream that the service ends. It has no id, so that a client continues after the last event that it has.
 */
export function closedText(error: string, message: string): string {
  return `event: stream.closed\n${dataLines(JSON.stringify({ event: 'stream.closed', error, message }))}\n`;
}

/** Returns a text as `data` fields, one for each of its lines, as a line break ends a field. */
function dataLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('');
}
