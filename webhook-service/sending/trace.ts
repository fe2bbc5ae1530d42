import { randomHex } from '../../kit/ids.js';

/** The header of one attempt: its own span of the event's trace. */
export function traceparentOf(traceId: string): string {
  return `00-${traceId}-${randomHex(8)}-01`;
}
