/** A device's way out to the internet, as its document has it. */
export interface DeviceExit {
  /** `mobile`, `residential`, `datacenter`, `direct` or `custom`. */
  type: string;
  /** ISO 3166-1 alpha-2, lower case; `zz` where it is not known, as for a customer's own proxy. */
  country: string;
  /** IANA name; the phone's clock shows this zone. */
  timezone: string;
  /** The address that sites see, as the phone itself last saw it. Absent: not known. */
  address?: string;
  /** Name of the operator's exit in EXITS_FILE. Only that file has its proxy and credentials. */
  source?: string;
  /** The exit tag, which replaces `{session}` in the proxy's login, so that this device has an address of its own at that exit. */
  session?: string;
  /** The customer's proxy URL, for type custom. It is encrypted for the phone's id (see devices/network/exits.ts). */
  proxy?: string;
}

/** A driver, and whether the way to the internet of its phones can be chosen. Where it cannot, phones have a `direct` exit only. */
export interface ExitDriver {
  driver: string;
  exit: boolean;
}

/** The part of an exit that customers and phones may see. It shows nothing about how the exit is reached. */
export type ShownExit = Pick<DeviceExit, 'type' | 'country' | 'timezone' | 'address'>;

export function shownExit({ type, country, timezone, address }: DeviceExit): ShownExit {
  return { type, country, timezone, ...(address !== undefined && { address }) };
}
