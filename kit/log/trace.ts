import { randomHex } from '../text/ids.js';

/** W3C trace context of a request. */
export interface Trace {
  traceparent: string;
  /** The state of tracing systems; passed on as it is. Absent: none was sent. */
  tracestate?: string;
}

/** Version 00; ids of nothing but zeros are not valid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** Returns the sender's trace when its `traceparent` is valid, else a new one, without the sender's state. */
export function traceOf(traceparent: string | null | undefined, tracestate: string | null | undefined): Trace {
  if (typeof traceparent !== 'string' || !TRACEPARENT.test(traceparent)) return { traceparent: createTraceparent() };
  return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
}

/** The 32 hex digits that all parts of a trace share. */
export function traceIdOf({ traceparent }: Trace): string {
  return traceparent.slice(3, 35);
}

/** A new trace that is not to be recorded (flags 00): clients that want traces recorded send a traceparent with flags 01. */
function createTraceparent(): string {
  const traceId = randomHex(16);
  // The first span's id has only to differ from those of its own trace.
  return `00-${traceId}-${traceId.slice(16)}-00`;
}

/** 1 to 128 printable ASCII characters, which fit into a header and a log line as they are. */
const REQUEST_ID = /^[\x20-\x7e]{1,128}$/;

/** Returns the sender's request id when it is usable, else a new one. */
export function requestIdOf(sent: string | null | undefined): string {
  return typeof sent === 'string' && REQUEST_ID.test(sent) ? sent : `req_${randomHex(16)}`;
}
