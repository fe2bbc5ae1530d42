import type { IncomingMessage } from 'node:http';

/**
 * The client's address. With `behindProxy` it is the last entry of X-Forwarded-For, which our own proxy has added; what stands before
 * that is the client's own claim. An IPv6 client counts as its /64, which is what one customer gets.
 */
export function clientAddress({ headers, socket }: IncomingMessage, behindProxy: boolean): string {
  const forwarded = behindProxy ? headers['x-forwarded-for'] : undefined;
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  const address = list?.split(',').at(-1)?.trim() ?? socket.remoteAddress ?? 'unknown';
  const plain = address.toLowerCase().startsWith('::ffff:') ? address.slice(7) : address;
  if (!plain.includes(':')) return plain;
  return networkOf(plain);
}

/** The first four groups of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail = ''] = address.split('::', 2);
  const before = head === '' ? [] : head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const missing = Math.max(0, 8 - before.length - after.length);
  const groups = address.includes('::') ? [...before, ...Array<string>(missing).fill('0'), ...after] : before;
  return `${groups.slice(0, 4).join(':')}::/64`;
}
