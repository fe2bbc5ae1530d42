import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';

/** A connection was refused because of where it leads. The message is fit for the caller. */
export class RefusedTarget extends Error {
  override name = 'RefusedTarget';
  readonly code = 'ERR_REFUSED_TARGET';

  constructor(host: string, address: string) {
    super(
      host === address
        ? `${host} is not a public address`
        : `${host} leads to ${address}, which is not a public address`,
    );
  }
}

export interface GuardOptions {
  /** Allows every address, for operators whose targets are in their own network. */
  allowPrivateTargets: boolean;
  /** How names are turned into addresses; the system's resolver when absent. */
  lookup?: LookupFunction;
}

/**
 * How long one address of a name may take before the next one is tried, ms. Node's own 250 ms are less than two round trips to the other side
 * of the world.
 */
const ADDRESS_TIMEOUT_MS = 2_500;

/**
 * Connects for undici (`connect` of an Agent, Pool or Client) and refuses addresses that are not public. The check is made on the very
 * address that is connected to. So a name whose address changes between check and use is no way around it.
 */
export function guardedConnect(
  options: GuardOptions & { connectTimeoutMs: number; tls?: buildConnector.BuildOptions },
): buildConnector.connector {
  const connect = buildConnector({
    ...options.tls,
    timeout: options.connectTimeoutMs,
    autoSelectFamilyAttemptTimeout: ADDRESS_TIMEOUT_MS,
    lookup: guardedLookup(options),
  });
  return (target, callback) => {
    try {
      assertPublicHost(target.hostname, options);
    } catch (error) {
      callback(error instanceof Error ? error : new Error(String(error)), null);
      return;
    }
    connect(target, callback);
  };
}

/** Refuses a literal address that is not public. */
export function assertPublicHost(host: string, options: GuardOptions): void {
  if (isRefusedHost(host, options)) throw new RefusedTarget(host, host);
}

/** Whether a host is a literal address that is not public. Names are not: they are judged by the addresses that they resolve to. */
export function isRefusedHost(host: string, { allowPrivateTargets }: GuardOptions): boolean {
  const bare = host.replace(/^\[|\]$/g, '');
  return !allowPrivateTargets && isIP(bare) !== 0 && !isPublicAddress(bare);
}

/** A `lookup` for net.connect that fails when any of a name's addresses is not public. */
export function guardedLookup({ allowPrivateTargets, lookup }: GuardOptions): LookupFunction {
  const resolve: LookupFunction = lookup ?? systemLookup;
  if (allowPrivateTargets) return resolve;
  return (host, options, callback) => {
    resolve(host, options, (error, found, family) => {
      if (error) {
        callback(error, found, family);
        return;
      }
      const addresses: readonly LookupAddress[] = Array.isArray(found)
        ? found
        : [{ address: found, family: family ?? 4 }];
      const bad = addresses.find(({ address }) => !isPublicAddress(address));
      if (bad) callback(new RefusedTarget(host, bad.address), '');
      else callback(null, found, family);
    });
  };
}

/**
 * Whether an address is one of the open internet. Addresses with a special meaning are not public: loopback, private, link-local, carrier
 * NAT, multicast and documentation. Neither are tunnels that carry an IPv4 address inside, and IPv4 written as IPv6.
 */
export function isPublicAddress(address: string): boolean {
  // ipaddr.js also reads spellings such as `1.2` or `0x7f.1`; only an address by the operating system's rules counts.
  if (isIP(address) === 0) return false;
  const parsed = ipaddr.parse(address);
  const plain = parsed instanceof ipaddr.IPv6 && parsed.isIPv4MappedAddress() ? parsed.toIPv4Address() : parsed;
  if (plain.range() !== 'unicast') return false;
  // In IPv6 only 2000::/3 is given out as global unicast.
  return !(plain instanceof ipaddr.IPv6) || ((plain.parts[0] ?? 0) & 0xe000) === 0x2000;
}
