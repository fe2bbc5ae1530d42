import { begunAhead } from '../async/begun-ahead.js';
import type { Registry } from 'prom-client';
import type { AllowedHosts } from '../net/allowed-hosts.js';
import type { Clock } from '../async/clock.js';
import { listenPages, type PageListener, type Pages } from '../https/listen-pages.js';
import type { PageLimits } from '../https/page-server.js';
import type { Log } from '../log/log.js';
import type { Readiness } from './readiness.js';

export interface OpsListenOptions {
  /** Address to listen on. The responses hold no secrets, but are not for customers. */
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** The hosts that requests may name. Absent: addresses and localhost. */
  hosts?: AllowedHosts;
  metrics: Registry;
  readiness: Readiness;
  clock: Clock;
  log: Log;
  /** A bound that is absent has the default value for pages. */
  limits?: Partial<PageLimits>;
}

/** Serves /metrics, /livez, /readyz and /v1/health. The service closes this port last, as it reports how the shutdown proceeds. */
export function listenOps(options: OpsListenOptions): Promise<PageListener> {
  const wanted = 'for metrics and probes (OPS_PORT)';
  return listenPages({ ...options, pages: opsPages(options), name: 'ops port', wanted, hostSetting: 'OPS_HOST' });
}

const JSON_PAGE = { contentType: 'application/json; charset=utf-8' };

function opsPages({ metrics, readiness }: Pick<OpsListenOptions, 'metrics' | 'readiness'>): Pages {
  let scrape: Promise<string> | undefined;
  return new Map([
    // Any response shows that the event loop turns. A missing dependency is no reason to restart the service.
    ['/livez', async () => ({ status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok\n' })],
    [
      '/readyz',
      async () => {
        const state = await readiness.report();
        const body = `${JSON.stringify(state)}\n`;
        return { status: state.ready ? 200 : 503, ...JSON_PAGE, body };
      },
    ],
    // For people and alerts; a platform must not restart a service because of it.
    ['/v1/health', async () => ({ status: 200, ...JSON_PAGE, body: `${JSON.stringify(await readiness.health())}\n` })],
    [
      '/metrics',
      async () => {
        // Concurrent scrapes share one response, as some metrics cover the time since the last scrape.
        scrape ??= begunAhead(metrics.metrics().finally(() => (scrape = undefined)));
        return { status: 200, contentType: metrics.contentType, body: await scrape };
      },
    ],
  ]);
}
