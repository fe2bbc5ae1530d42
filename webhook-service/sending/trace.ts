import { randomUUID } from 'node:crypto';

const TRACEPARENT = /^00-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The trace that an event belongs to: that of the W3C `traceparent` it was published with, else a new one. */
export function traceIdOf(traceparent: string | null): string {
  const traceId = TRACEPARENT.exec(traceparent ?? '')?.[1];
  return traceId === undefined || /^0+$/.test(traceId) ? randomHex() : traceId;
}

/** The header of one attempt: its own span of the event's trace. */
export function traceparentOf(traceId: string): string {
  return `00-${traceId}-${randomHex().slice(16)}-01`;
}

/** 32 hex digits, 122 of their bits random, the last 15 digits wholly. Unlike randomBytes, randomUUID draws from a stock. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}
