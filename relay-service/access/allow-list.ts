import { BlockList } from 'node:net';
import ipaddr from 'ipaddr.js';
import { ApiError } from '../../kit/errors.js';

/** Who may connect to a relay. */
export interface AllowList {
  /** `address` as a socket tells it, also an IPv4 one mapped into IPv6. */
  allows(address: string | undefined): boolean;
}

/** Throws bad_request that names the first entry that is neither an address nor a CIDR range. */
export function parseAllowList(entries: readonly string[]): AllowList {
  // Node's list of addresses "to block" is a list of addresses; here it holds the ones to let in.
  const list = new BlockList();
  entries.forEach((entry, index) => {
    const { address, bits, family } = parseEntry(entry, index);
    list.addSubnet(address, bits, family);
  });
  return {
    allows: (address) => {
      if (address === undefined) return false;
      const plain = plainAddress(address);
      return list.check(plain, plain.includes(':') ? 'ipv6' : 'ipv4');
    },
  };
}

/** An IPv4 address mapped into IPv6 (`::ffff:192.0.2.1`), as dual-stack sockets tell it, without the wrapping. */
export function plainAddress(address: string): string {
  const plain = address.split('%', 1)[0] ?? address;
  return /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain)?.[1] ?? plain;
}

function parseEntry(entry: string, index: number): { address: string; bits: number; family: 'ipv4' | 'ipv6' } {
  const refuse = (): never => {
    throw new ApiError(
      'bad_request',
      `allow[${index}] is "${entry}", which is not an IPv4 or IPv6 address or CIDR range such as 203.0.113.7, 203.0.113.0/24 or 2001:db8::/48.`,
    );
  };
  const match = /^([0-9a-fA-F.:]+)(?:\/(\d{1,3}))?$/.exec(entry);
  const text = match?.[1] ?? '';
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) {
    const bits = Number(match?.[2] ?? 32);
    return bits <= 32 ? { address: ipaddr.IPv4.parse(text).toString(), bits, family: 'ipv4' } : refuse();
  }
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text)) return refuse();
  const bits = Number(match?.[2] ?? 128);
  if (bits > 128) return refuse();
  const parsed = ipaddr.IPv6.parse(text);
  if (parsed.isIPv4MappedAddress() && bits >= 96) {
    return { address: parsed.toIPv4Address().toString(), bits: bits - 96, family: 'ipv4' };
  }
  return { address: parsed.toString(), bits, family: 'ipv6' };
}
