import type { PhoneEndpoint } from '../../../phone/driver.js';
import { httpProxyIn, PRINT_HTTP_PROXY } from '../../../phone/link/http-proxy-setting.js';
import { shellQuote } from '../../../phone/link/shell-quote.js';
import { ADDRESS_PAGE_BYTES, SEE_ADDRESS_MS } from '../limits.js';
import type { OpenLink } from '../phones/open-link.js';
import { type AddressPage, type SeenAddress, seenIn } from './address-page.js';

/** What the phone itself sees of its connection to the internet. */
export interface PhoneView {
  timezone: string;
  /** Absent where the page shows no address. */
  seen?: SeenAddress;
}

/** Returns the phone's view, or the phone's own error text. */
export type SeeFromPhone = (
  endpoint: PhoneEndpoint,
  page: AddressPage,
  signal: AbortSignal,
) => Promise<PhoneView | { fault: string }>;

/** The limit of curl, seconds. It is shorter than the limit of the command, so that the phone's own error text arrives. */
const FETCH_S = SEE_ADDRESS_MS / 1000 - 2;

/**
 * Has the phone itself fetch the page, over ADB, so that it sees the same as its apps. Unlike apps, its curl ignores the HTTP proxy in
 * the system's settings, so the command names that proxy.
 */
export function seeThroughAdb(openLink: OpenLink): SeeFromPhone {
  return async (endpoint, page, signal) => {
    const link = await openLink(endpoint);
    const options = {
      ...{ timeoutMs: SEE_ADDRESS_MS, maxBytes: ADDRESS_PAGE_BYTES * 2, signal },
      doing: 'fetch the page that shows its address',
    };
    try {
      const facts = await link.shell(`getprop persist.sys.timezone; ${PRINT_HTTP_PROXY}`, options);
      const [zone = '', setting = ''] = facts.stdout.toString('utf8').split('\n');
      const timezone = zone.trim();
      const proxy = httpProxyIn(setting);
      const byProxy = proxy === undefined ? '' : `-x ${shellQuote(`http://${proxy}`)} `;
      const { stdout, stderr, exitCode } = await link.shell(
        `curl -fsS -m ${FETCH_S} ${byProxy}${shellQuote(page.url)}`,
        options,
      );
      if (exitCode !== 0) return { fault: stderr.toString('utf8').trim().slice(0, 200) };
      if (!page.showsAddress) return { timezone };
      const seen = seenIn(stdout.toString('utf8'));
      return seen === undefined ? { fault: 'the page showed no address' } : { timezone, seen };
    } finally {
      link.close();
    }
  };
}
