import type { PhoneEndpoint } from '../../phone/driver.js';
import { shellQuote } from '../../phone/link/shell-quote.js';
import { ADDRESS_PAGE_BYTES, SEE_ADDRESS_MS } from '../limits.js';
import type { OpenLink } from '../phones/open-link.js';
import { type AddressPage, type SeenAddress, seenIn } from './address-page.js';

/** The phone's own view of its way out. */
export interface PhoneView {
  timezone: string;
  /** Absent where the page shows none. */
  seen?: SeenAddress;
}

/** Returns the phone's view, or the phone's own error text. */
export type SeeFromPhone = (
  endpoint: PhoneEndpoint,
  page: AddressPage,
  signal: AbortSignal,
) => Promise<PhoneView | { fault: string }>;

/** Shorter than the limit of the command, so that the phone's own error text arrives. */
const FETCH_S = SEE_ADDRESS_MS / 1000 - 2;

/** Has the phone fetch the page by itself, over ADB: it sees the same as its apps. */
export function seeThroughAdb(openLink: OpenLink): SeeFromPhone {
  return async (endpoint, page, signal) => {
    const link = await openLink(endpoint);
    try {
      const script = `getprop persist.sys.timezone; curl -fsS -m ${FETCH_S} ${shellQuote(page.url)}`;
      const { stdout, stderr, exitCode } = await link.shell(script, {
        timeoutMs: SEE_ADDRESS_MS,
        maxBytes: ADDRESS_PAGE_BYTES * 2,
        signal,
        doing: 'fetch the page that shows its address',
      });
      const text = stdout.toString('utf8');
      const end = text.indexOf('\n');
      const timezone = text.slice(0, end).trim();
      if (exitCode !== 0) return { fault: stderr.toString('utf8').trim().slice(0, 200) };
      if (!page.showsAddress) return { timezone };
      const seen = seenIn(text.slice(end + 1));
      return seen === undefined ? { fault: 'the page showed no address' } : { timezone, seen };
    } finally {
      link.close();
    }
  };
}
