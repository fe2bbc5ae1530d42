import type { Registry } from 'prom-client';
import type { Pages } from '../listen-pages.js';
import type { Readiness } from './readiness.js';

/** The paths of the ops port. */
export function opsPages(options: { metrics: Registry; readiness: Readiness }): Pages {
  const { metrics, readiness } = options;
  let scrape: Promise<string> | undefined;
  return new Map([
    // Any response shows that the event loop turns. A missing dependency is no reason to restart the service.
    ['/livez', async () => ({ status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok\n' })],
    [
      '/readyz',
      async () => {
        const state = await readiness.look();
        const body = `${JSON.stringify(state)}\n`;
        return { status: state.ready ? 200 : 503, contentType: 'application/json; charset=utf-8', body };
      },
    ],
    [
      '/metrics',
      async () => {
        // Concurrent scrapes share one response: some figures are of the time since the last one.
        scrape ??= metrics.metrics().finally(() => (scrape = undefined));
        return { status: 200, contentType: metrics.contentType, body: await scrape };
      },
    ],
  ]);
}
