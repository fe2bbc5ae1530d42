import type { Registry } from 'prom-client';
import type { Readiness } from './readiness.js';

/** What one of the paths answers. */
export interface OpsAnswer {
  status: 200 | 503;
  contentType: string;
  body: string;
}

/** The paths of the ops port. */
export function opsAnswers(options: {
  metrics: Registry;
  readiness: Readiness;
}): ReadonlyMap<string, () => Promise<OpsAnswer>> {
  const { metrics, readiness } = options;
  let scrape: Promise<string> | undefined;
  return new Map([
    // That it is answered at all is the answer: the event loop turns. What the service needs is no reason to restart it.
    ['/livez', async () => ({ status: 200, contentType: 'text/plain; charset=utf-8', body: 'ok\n' })],
    [
      '/readyz',
      async () => {
        const answer = await readiness.look();
        const body = `${JSON.stringify(answer)}\n`;
        return { status: answer.ready ? 200 : 503, contentType: 'application/json; charset=utf-8', body };
      },
    ],
    [
      '/metrics',
      async () => {
        // Scrapes at the same time share one answer: some figures are of the time since the last one.
        scrape ??= metrics.metrics().finally(() => (scrape = undefined));
        return { status: 200, contentType: metrics.contentType, body: await scrape };
      },
    ],
  ]);
}
