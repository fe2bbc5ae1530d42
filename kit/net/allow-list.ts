import ipaddr from 'ipaddr.js';
import { ApiError } from '../errors/api-error.js';

type Range = ReturnType<typeof ipaddr.parseCIDR>;

/** The addresses that may connect to a relay, or from which a key works. */
export interface AllowList {
  /** The entries in one form: a range without the bits behind its length, and a single address without a length. */
  entries: readonly string[];
  /**
   * Takes an address as a socket reports it, also an IPv4 address mapped into IPv6. An IPv4 range admits no IPv6 address, and an IPv6 range
   * no IPv4 address.
   */
  allows(address: string | undefined): boolean;
  /**
   * Takes an address as the edge counts requests by it: an IPv4 address, or the /64 of an IPv6 address. A /64 is admitted when a part of it is
   * on the list, as one customer has it. Anything else is not admitted.
   */
  allowsCaller(address: string): boolean;
}

/** Throws bad_request that names the first entry that is neither an address nor a CIDR range. */
export function parseAllowList(entries: readonly string[]): AllowList {
  const ranges = entries.map(parseEntry);
  return {
    entries: ranges.map(entryOf),
    allows: (text) => {
      if (text === undefined) return false;
      const address = ipaddr.process(plainAddress(text));
      return ranges.some(([range, bits]) => range.kind() === address.kind() && address.match(range, bits));
    },
    allowsCaller: (text) => {
      const [address = '', bits] = text.split('/');
      if (!ipaddr.isValid(address) || bits !== (ipaddr.IPv4.isValid(address) ? undefined : '64')) return false;
      const caller = ipaddr.parse(address);
      return ranges.some(
        ([range, length]) => range.kind() === caller.kind() && caller.match(range, Math.min(length, 64)),
      );
    },
  };
}

/**
 * Returns an address without its zone. An IPv4 address that a dual-stack socket reports as IPv6 (`::ffff:192.0.2.1`) is returned as IPv4.
 */
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

/** Returns the text of a range. */
function entryOf([address, bits]: Range): string {
  const isIpv4 = address.kind() === 'ipv4';
  if (bits === (isIpv4 ? 32 : 128)) return address.toString();
  const range = `${address.toString()}/${bits}`;
  const first = isIpv4 ? ipaddr.IPv4.networkAddressFromCIDR(range) : ipaddr.IPv6.networkAddressFromCIDR(range);
  return `${first.toString()}/${bits}`;
}

/** Returns an IPv4-mapped range as an IPv4 range: 192.0.2.0/24 for `::ffff:192.0.2.0/120`. */
function unmapped([address, bits]: Range): Range {
  const isMapped = address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96;
  return isMapped ? [address.toIPv4Address(), bits - 96] : [address, bits];
}
