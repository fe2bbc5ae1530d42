import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** W3C trace context, version 00; ids of nothing but zeros are not valid. */
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace when it has a valid one, else a new one. */
export function traceparentOf({ traceparent }: IncomingHttpHeaders): string {
  return typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : createTraceparent();
}

/** A new trace that asks nobody to record it (flags 00): whoever wants traces recorded sends a traceparent that says so. */
function createTraceparent(): string {
  return `00-${randomHex()}-${randomHex().slice(0, 16)}-00`;
}

/** 32 hex digits, 122 of their bits random. Unlike randomBytes, randomUUID draws from a pool; that is 10 % of a refused request. */
export function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}
