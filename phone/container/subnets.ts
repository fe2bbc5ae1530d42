/** A network for one phone: `10.213.0.0/29`, with the host's address in it. */
export interface Subnet {
  subnet: string;
  gateway: string;
}

/**
 * Number of addresses of a phone's network: those of the network itself, the host's gateway, the phone and broadcast. The others stay free.
 */
const SIZE = 8;
const PREFIX = 29;

/** A range of IPv4 addresses, both ends included. */
interface Range {
  first: number;
  last: number;
}

/** Returns the first network of `pool` (CIDR, prefix 8 to 28) that overlaps none of `taken` (CIDRs). Undefined: all are taken. */
export function freeSubnet(pool: string, taken: readonly string[]): Subnet | undefined {
  const { first, last } = rangeOf(pool);
  const others = taken.filter((cidr) => !cidr.includes(':')).map(rangeOf);
  for (let start = first; start + SIZE - 1 <= last; start += SIZE) {
    const end = start + SIZE - 1;
    if (others.every((other) => other.last < start || other.first > end)) {
      return { subnet: `${addressOf(start)}/${PREFIX}`, gateway: addressOf(start + 1) };
    }
  }
  return undefined;
}

/** Whether `text` is an IPv4 network that holds networks of phones. */
export function isPool(text: string): boolean {
  const [, address = '', bits = ''] = /^(\d{1,3}(?:\.\d{1,3}){3})\/(\d{1,2})$/.exec(text) ?? [];
  const prefix = Number(bits);
  return bits !== '' && prefix >= 8 && prefix <= 28 && address.split('.').every((part) => Number(part) < 256);
}

function rangeOf(cidr: string): Range {
  const [address = '', bits = '32'] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = Math.floor(number / size) * size;
  return { first, last: first + size - 1 };
}

function addressOf(number: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join('.');
}
