import { randomUUID } from 'node:crypto';

/** The header of one attempt: its own span of the event's trace. */
export function traceparentOf(traceId: string): string {
  return `00-${traceId}-${randomHex().slice(16)}-01`;
}

/** 32 hex digits, 122 of their bits random, the last 15 digits wholly. Unlike randomBytes, randomUUID draws from a stock. */
function randomHex(): string {
  return randomUUID().replaceAll('-', '');
}
