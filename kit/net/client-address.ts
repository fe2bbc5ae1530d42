import ipaddr from 'ipaddr.js';

/**
 * Returns the address under which requests are counted: `ip` itself, or its /64 in IPv6, which is what one customer gets. `ip` is Koa's
 * `ctx.ip`, which behind a proxy may have a port: 198.51.100.1:50123, [2001:db8::1]:50123.
 */
export function clientAddress(ip: string): string {
  const text = ip.replace(/^([\d.]+):\d+$|^\[([^\]]*)\](?::\d+)?$/, '$1$2');
  if (!ipaddr.IPv6.isValid(text)) return text === '' ? 'unknown' : text;
  const address = ipaddr.IPv6.parse(text);
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString();
  return `${new ipaddr.IPv6([...address.parts.slice(0, 4), 0, 0, 0, 0]).toString()}/64`;
}
