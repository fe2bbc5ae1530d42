import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';

/**
 * The client's address. With `behindProxy` it is the last entry of X-Forwarded-For, which our own proxy has added; what stands before
 * that is the client's own claim. An IPv6 client counts as its /64, which is what one customer gets.
 */
export function clientAddress({ headers, socket }: IncomingMessage, behindProxy: boolean): string {
  const address = (behindProxy ? lastForwarded(headers) : undefined) ?? socket.remoteAddress ?? 'unknown';
  if (!address.includes(':')) return address;
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  return mapped ?? networkOf(address);
}

function lastForwarded({ 'x-forwarded-for': forwarded }: IncomingHttpHeaders): string | undefined {
  const list = Array.isArray(forwarded) ? forwarded.join(',') : forwarded;
  const last = list?.split(',').at(-1)?.trim();
  // Some tell the port too, which is another one for each connection: 198.51.100.1:50123, [2001:db8::1]:50123.
  return last?.replace(/^([\d.]+):\d+$|^\[([^\]]*)\](?::\d+)?$/, '$1$2');
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
