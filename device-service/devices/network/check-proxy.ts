import { ApiError } from '../../../kit/errors/api-error.js';
import { within } from '../../../kit/async/within.js';
import { PROXY_CHECK_MS, PROXY_CHECKS_AT_ONCE } from '../limits.js';
import { UnderWay } from '../../../kit/async/under-way.js';
import { type SeenAddress, seenIn } from './address-page.js';
import { fetchPage } from './fetch-page.js';
import { parseProxyUrl } from './proxy-url.js';
import type { Upstream } from './upstream.js';
import { WayOutError, type WayOutFault } from './way-out.js';
import type { NetworkContext } from './network-context.js';

export interface ProxyCheck {
  ok: boolean;
  latencyMs?: number;
  reason?: string;
  seen?: SeenAddress;
}

const UNREACHABLE = 'The proxy could not be reached, or does not work as a proxy of this kind.';

/**
 * Texts for the customer. Every other fault has the text `UNREACHABLE`: a closed, filtered or forbidden port, or a port of another service.
 */
const REASONS: Partial<Record<WayOutFault, string>> = {
  login: 'The proxy refused the user name or the password.',
  target: 'The proxy responds, but did not reach the internet.',
};

/** Tests customers' proxies. Each check fetches the address page through the proxy, by a connection of its own. */
export class ProxyChecks {
  readonly #parts: Pick<NetworkContext, 'way' | 'pages' | 'clock'>;
  readonly #underWay = new UnderWay();

  constructor(parts: Pick<NetworkContext, 'way' | 'pages' | 'clock'>) {
    this.#parts = parts;
  }

  /**
   * Returns whether the proxy works, within 10 s. All reasons for not reaching the proxy have the same text. A response with that text
   * comes only when the time of the check is over. Throws bad_request for a text that is no proxy URL, and rate_limited while too many
   * checks of the account run.
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

/** Fetches the address page through an exit. Returns its address; undefined when the page shows none. Throws WayOutError. */
export async function fetchAddress(
  { way, pages }: Pick<NetworkContext, 'way' | 'pages'>,
  upstream: Upstream,
  signal: AbortSignal,
): Promise<SeenAddress | undefined> {
  // The page of a simulated exit is served only inside the forwarder of its phone, so this process cannot fetch that page.
  if (upstream.kind === 'straight' && upstream.pretends !== undefined) return { address: upstream.pretends };
  const page = await pages.pageFor(upstream);
  const text = await fetchPage(way, upstream, page.url, signal);
  if (!page.showsAddress) return undefined;
  const seen = seenIn(text);
  if (seen === undefined) throw new WayOutError('target', 'The page shows no address.');
  return seen;
}
