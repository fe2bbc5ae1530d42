/** A device's way out to the internet, as its document holds it. */
export interface DeviceExit {
  /** `mobile`, `residential`, `datacenter`, `direct` or `custom`. */
  type: string;
  /** ISO 3166-1 alpha-2, lower case; `zz` where it is not known (a customer's own proxy). */
  country: string;
  /** IANA name; the phone's clock shows this zone. */
  timezone: string;
  /** The address that sites see, as the phone itself saw it last. Absent: not known. */
  address?: string;
  /** Name of the operator's exit in EXITS_FILE. Its proxy and credentials are in that file alone. */
  source?: string;
  /** The exit tag: replaces `{session}` in the proxy's login, so that this device has an address of its own at that exit. */
  session?: string;
  /** Type custom: the customer's proxy URL, sealed for the phone's id (see network/exits.ts). */
  proxy?: string;
}

/** The part of an exit that customers and phones may see: nothing of how it is reached. */
export type ShownExit = Pick<DeviceExit, 'type' | 'country' | 'timezone' | 'address'>;

export function shownExit({ type, country, timezone, address }: DeviceExit): ShownExit {
  return { type, country, timezone, ...(address !== undefined && { address }) };
}
