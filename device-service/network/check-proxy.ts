import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { within } from '../../kit/within.js';
import { PROXY_CHECK_MS, PROXY_CHECKS_AT_ONCE } from '../limits.js';
import { UnderWay } from '../../kit/under-way.js';
import { type AddressPages, type SeenAddress, seenIn } from './address-page.js';
import { fetchPage } from './fetch-page.js';
import { parseProxyUrl } from './proxy-url.js';
import type { Upstream } from './upstream.js';
import { type WayOut, WayOutError, type WayOutFault } from './way-out.js';

export interface CheckProxyParts {
  way: WayOut;
  pages: AddressPages;
  clock: Clock;
}

export interface ProxyCheck {
  ok: boolean;
  latencyMs?: number;
  reason?: string;
  seen?: SeenAddress;
}

const UNREACHABLE = 'The proxy could not be reached, or does not work as a proxy of this kind.';

/** Texts for the customer. Closed, filtered and forbidden ports, and those of other services, have the same text. */
const REASONS: Partial<Record<WayOutFault, string>> = {
  login: 'The proxy refused the user name or the password.',
  target: 'The proxy responds, but did not reach the internet.',
};

/** Tests customers' proxies: a page that shows the address is fetched through each, by a connection of its own. */
export class ProxyChecks {
  readonly #parts: CheckProxyParts;
  readonly #underWay = new UnderWay();

  constructor(parts: CheckProxyParts) {
    this.#parts = parts;
  }

  /**
   * Returns whether the proxy works, within 10 s. All reasons for not reaching it have the same text, and take the same time: the
   * response comes when the time for a check is up. Throws bad_request for a text that is no proxy URL.
   */
  async check(accountId: string, text: string, signal: AbortSignal): Promise<ProxyCheck> {
    const proxy = parseProxyUrl(text);
    if ('fault' in proxy) throw new ApiError('bad_request', `proxy ${proxy.fault}`);
    const running = this.#underWay.of(accountId);
    if (running >= PROXY_CHECKS_AT_ONCE) {
      throw new ApiError('rate_limited', `${running} checks of proxies are running. Wait for one of them.`, {
        retryAfterS: 5,
      });
    }
    return this.#underWay.run(accountId, () => this.#check({ kind: 'proxy', proxy, guarded: true }, signal));
  }

  async #check(upstream: Upstream, signal: AbortSignal): Promise<ProxyCheck> {
    const { clock } = this.#parts;
    const beganMs = clock.monotonicMs();
    const onTimeout = (): Error => new WayOutError('timeout', 'The check took too long.');
    try {
      const seen = await within({ clock, timeoutMs: PROXY_CHECK_MS, signals: [signal], onTimeout }, (limited) =>
        fetchAddress(this.#parts, upstream, limited),
      );
      const latencyMs = Math.round(clock.monotonicMs() - beganMs);
      return { ok: true, latencyMs, ...(seen !== undefined && { seen }) };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof WayOutError)) throw error;
      const reason = REASONS[error.fault];
      if (reason !== undefined) return { ok: false, reason };
      const restMs = beganMs + PROXY_CHECK_MS - clock.monotonicMs();
      if (restMs > 0) await clock.sleep(restMs, signal);
      return { ok: false, reason: UNREACHABLE };
    }
  }
}

/** Fetches the address page through an exit. Returns its address, undefined when the page shows none. Throws WayOutError. */
export async function fetchAddress(
  { way, pages }: Pick<CheckProxyParts, 'way' | 'pages'>,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<SeenAddress | undefined> {
  // Only its phone's forwarder has the page of a simulated exit.
  if (upstream.kind === 'straight' && upstream.pretends !== undefined) return { address: upstream.pretends };
  const page = await pages.pageFor(upstream);
  const text = await fetchPage(way, upstream, page.url, signal);
  if (!page.showsAddress) return undefined;
  const seen = seenIn(text);
  if (seen === undefined) throw new WayOutError('target', 'The page shows no address.');
  return seen;
}
