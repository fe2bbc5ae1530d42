import type { DeviceExit } from '../../store/device-exit.js';
import type { ListedExit } from './exits-file.js';
import { isSimulatedAddress } from './simulated-exits.js';

/** Where the hosts of phones are, as HOST_COUNTRY and HOST_TIMEZONE have it. */
export interface HostPlace {
  /** ISO 3166-1 alpha-2, lower case. */
  country: string;
  /** IANA name. */
  timezone: string;
}

/** The country of an exit whose place is not known: the code of CLDR for an unknown region. */
export const UNKNOWN_COUNTRY = 'zz';

/** The place of hosts for which no setting names one. */
export const UNKNOWN_PLACE: HostPlace = { country: UNKNOWN_COUNTRY, timezone: 'UTC' };

/** The one driver whose phones may have simulated exits. Phones of all others carry traffic of real customers. */
export const SIMULATED_DRIVER = 'simulated';

/** Returns the only exit on offer for phones that are not simulated, where there is no EXITS_FILE. */
export function hostExit({ country, timezone }: HostPlace): ListedExit {
  return { type: 'direct', country, timezones: [timezone] };
}

/**
 * Returns the exit that a device truly has; undefined when its record is true already. Before exits were bound to drivers, a phone of any
 * driver got a simulated exit. Its traffic left by the host, while its record named another country and an invented address.
 *
 * The time zone stays, as the phone's clock shows it. With EXITS_FILE, only `direct` is corrected: other simulated exits are not listed,
 * so they carry no traffic, and the customer has to choose another.
 */
export function trueExit(
  { driver, exit }: { driver: string; exit: DeviceExit },
  { place, hasFile }: { place: HostPlace; hasFile: boolean },
): DeviceExit | undefined {
  const { type, country, timezone, address, source } = exit;
  if (driver === SIMULATED_DRIVER || source !== undefined || type === 'custom') return undefined;
  if (type !== 'direct' && hasFile) return undefined;
  const isInvented = address !== undefined && isSimulatedAddress(address);
  if (type === 'direct' && country === place.country && !isInvented) return undefined;
  const keeps = type === 'direct' && address !== undefined && !isInvented;
  return { type: 'direct', country: place.country, timezone, ...(keeps && { address }) };
}
