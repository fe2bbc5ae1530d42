import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/**
 * Decides which values of the Host header are for this service. A page that is loaded may give its own name the address 127.0.0.1, and then
 * call a service there as its own origin. The browser goes on sending the page's name as Host. An IP address cannot be given another
 * meaning, so every one of them is allowed.
 */
export class AllowedHosts {
  readonly #names: ReadonlySet<string>;

  /** `names` are the host names that are allowed besides IP addresses and localhost. */
  constructor(names: Iterable<string> = []) {
    this.#names = new Set(['localhost', ...[...names].map(plain)]);
  }

  /** `host` is the value of the header: a name or an address, with or without a port. Clients of HTTP/1.0 send none. */
  has(host: string | undefined): boolean {
    if (host === undefined) return true;
    const name = plain(host.replace(/:\d*$/, ''));
    const bracketed = /^\[(.*)\]$/.exec(name)?.[1];
    return bracketed === undefined ? isIP(name) === 4 || this.#names.has(name) : ipaddr.IPv6.isValid(bracketed);
  }
}

/** The text for a refused request. */
export const HOST_REFUSED =
  'The Host header names no host of this service. Use its address, or its name in PUBLIC_URL; the operator adds further names with ALLOWED_HOSTS.';

function plain(name: string): string {
  return name.toLowerCase().replace(/\.$/, '');
}
