import type { ServerSentEvent } from '../../proto/gen/cloudphone/api/v1/route_pb.js';

/** How long a client waits until it connects again, ms. */
const RETRY_MS = 3_000;

/** What a stream begins with, before its first event. */
export const STREAM_BEGIN = `retry: ${RETRY_MS}\n`;

/**
 * An event as text (HTML, section 9.2.5). One without a type is a comment and the place where the stream is: clients keep an `id` that
 * comes without data, and dispatch nothing.
 */
export function eventText({ id, type, data }: Pick<ServerSentEvent, 'id' | 'type' | 'data'>): string {
  if (type === '') return `:\nid: ${id}\n\n`;
  const text = Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');
  return `id: ${id}\nevent: ${type}\n${dataLines(text)}\n`;
}

/** The last event of a stream that the service ends. Without an id, so that a client goes on from the last one that it has. */
export function closedText(error: string, message: string): string {
  return `event: stream.closed\n${dataLines(JSON.stringify({ event: 'stream.closed', error, message }))}\n`;
}

/** A line break would end the field. */
function dataLines(text: string): string {
  return text
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('');
}
