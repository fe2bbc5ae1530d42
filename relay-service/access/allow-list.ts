import ipaddr from 'ipaddr.js';
import { ApiError } from '../../kit/errors.js';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** The addresses that may connect to a relay. */
export interface AllowList {
  /** `address` as a socket reports it, also an IPv4 one mapped into IPv6. A range of one family admits none of the other. */
  allows(address: string | undefined): boolean;
}

/** Throws bad_request that names the first entry that is neither an address nor a CIDR range. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges = entries.map(parseEntry);
  return {
    allows: (text) => {
      if (text === undefined) return false;
      const address = ipaddr.process(plainAddress(text));
      return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
    },
  };
}

/** An address without its zone, and an IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`), as dual-stack sockets report it, as IPv4. */
export function plainAddress(text: string): string {
  const address = text.split('%', 1)[0] ?? text;
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
}

function parseEntry(entry: string, index: number): Range {
  const [address = '', ...bits] = entry.split('/');
  const isIpv4 = ipaddr.IPv4.isValidFourPartDecimal(address);
  // The library also reads `0x7f.1`, `1.2` and zones, which people write by mistake.
  if ((isIpv4 || /^[0-9a-f:.]*:[0-9a-f:.]*$/i.test(address)) && bits.length <= 1 && /^\d{0,3}$/.test(bits[0] ?? '')) {
    const range = `${address}/${bits[0] ?? (isIpv4 ? 32 : 128)}`;
    if (ipaddr.isValidCIDR(range)) return unmapped(ipaddr.parseCIDR(range));
  }
  throw new ApiError(
    'bad_request',
    `allow[${index}] is "${entry}", which is not an IPv4 or IPv6 address or CIDR range such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.`,
  );
}

/** `::ffff:192.0.2.0/120` is the IPv4 range 192.0.2.0/24. */
function unmapped([address, bits]: Range): Range {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}
