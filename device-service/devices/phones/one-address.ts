import { lookup as systemLookup } from 'node:dns/promises';

type Lookup = (host: string, options: { all: true; family: 4 }) => Promise<readonly { address: string }[]>;

/**
 * Throws where PHONE_HOST is a name of several addresses. A container's own name is one if the container is in several networks. Phones
 * would listen at one of these addresses, and callers could be led to any. A name that is not found is left to the listener, which reports
 * it.
 */
export async function requireOneAddress(host: string, lookup: Lookup = systemLookup): Promise<void> {
  const found = await lookup(host, { all: true, family: 4 }).catch(() => []);
  const addresses = [...new Set(found.map(({ address }) => address))];
  if (addresses.length <= 1) return;
  throw new Error(
    `PHONE_HOST="${host}" has the addresses ${addresses.join(' and ')}, and phones listen at one. Use an address, or a name of one network.`,
  );
}
