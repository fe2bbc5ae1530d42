import { connect } from 'node:net';
import type { Clock } from '../../../kit/async/clock.js';
import type { PhoneEndpoint } from '../../../phone/driver.js';
import { PhoneLink } from '../../../phone/link/phone-link.js';
import { LINK_OPEN_MS } from '../limits.js';

/**
 * Opens an ADB link to a running phone, for one piece of work; the caller closes it. Throws unavailable or timeout when the phone is not
 * reached, and WrongPhone for another phone or another start of it.
 */
export type OpenLink = (endpoint: PhoneEndpoint) => Promise<PhoneLink>;

export function linkOpener(clock: Clock): OpenLink {
  return (endpoint) =>
    PhoneLink.open({
      ...endpoint,
      clock,
      connectSocket: (host, port) => connect({ host, port }),
      timeoutMs: LINK_OPEN_MS,
    });
}
