import { type Duplex, duplexPair } from 'node:stream';
import type { LinkSocket } from '../../link/phone-link.js';

/**
 * A connection within the process, for the driver's own link to a phone. It is served as a customer's connection is. It needs no port, to
 * which others on this machine could connect. Both ends close when either does.
 */
export function memorySocket(): { near: LinkSocket; far: Duplex } {
  const [near, far] = duplexPair();
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const) {
    one.on('error', () => undefined); // `close` follows
    one.once('close', () => other.destroy());
  }
  process.nextTick(() => near.emit('connect'));
  return { near: Object.assign(near, { setNoDelay: () => undefined }), far };
}
