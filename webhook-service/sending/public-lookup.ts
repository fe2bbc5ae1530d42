import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';

/** How long a name server has to respond, ms, and how often it is tried. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/** Resolves a name to addresses: Node's Resolver, or a test's. */
export type NameServer = Pick<Resolver, 'resolve4' | 'resolve6'>;

/**
 * A `lookup` for net.connect that queries name servers directly. The system's own look-up runs on four threads that the whole process
 * shares: four receivers whose name servers hang would keep every other waiting. Its extras (the hosts file, search domains) are
 * for private names, which a public receiver does not have.
 */
export function publicLookup(
  names: NameServer = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES }),
): LookupFunction {
  return (host, options, callback) => {
    resolve(names, host, options.family).then(
      (found) => {
        const [first] = found;
        if (first === undefined) callback(noAddress(host), '');
        else if (options.all === true) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as NodeJS.ErrnoException, ''),
    );
  };
}

/** Returns addresses of IPv4 first, as hosts without IPv6 are more common than receivers without IPv4. */
async function resolve(names: NameServer, host: string, family: unknown): Promise<LookupAddress[]> {
  const addressesOf = async (wanted: 4 | 6): Promise<LookupAddress[]> => {
    if ((family === 4 || family === 'IPv4') && wanted === 6) return [];
    if ((family === 6 || family === 'IPv6') && wanted === 4) return [];
    const addresses = await (wanted === 4 ? names.resolve4(host) : names.resolve6(host));
    return addresses.map((address) => ({ address, family: wanted }));
  };
  const lookups = await Promise.allSettled([addressesOf(4), addressesOf(6)]);
  const found = lookups.flatMap((lookup) => (lookup.status === 'fulfilled' ? lookup.value : []));
  const failed = lookups.find((lookup) => lookup.status === 'rejected');
  if (found.length === 0 && failed !== undefined) throw failed.reason;
  return found;
}

function noAddress(host: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${host} has no address`), { code: 'ENOTFOUND' });
}
