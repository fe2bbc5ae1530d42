import { createHash } from 'node:crypto';
import type { Clock } from '../../kit/async/clock.js';
import type { Page, Pages } from '../../kit/https/listen-pages.js';
import { CACHE_S, RENDER_MS } from '../limits.js';
import type { StatusReport } from '../report/report.js';
import { POLICY, renderPage } from './render-page.js';

/** `/status` (also `/`) for people and `/status.json` for programs. Each is rendered once for all requests within RENDER_MS. */
export function statusPages(clock: Clock, report: () => StatusReport): Pages {
  const html = keptFor(clock, () =>
    pageOf('text/html', renderPage(report()), {
      'Content-Security-Policy': POLICY,
      'Referrer-Policy': 'no-referrer',
    }),
  );
  // Pages of other sites may read it too: there is nothing in it that is not public.
  const json = keptFor(clock, () =>
    pageOf('application/json', `${JSON.stringify(report())}\n`, { 'Access-Control-Allow-Origin': '*' }),
  );
  return new Map([
    ['/status', async () => html()],
    ['/status.json', async () => json()],
    ['/', async () => html()],
  ]);
}

function pageOf(type: string, body: string, headers: Record<string, string>): Page {
  const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
  const cacheControl = `public, max-age=${CACHE_S}`;
  return { status: 200, contentType: `${type}; charset=utf-8`, body, cacheControl, etag, headers };
}

function keptFor(clock: Clock, make: () => Page): () => Page {
  let kept: { page: Page; untilMs: number } | undefined;
  return () => {
    const nowMs = clock.monotonicMs();
    if (kept === undefined || nowMs >= kept.untilMs) kept = { page: make(), untilMs: nowMs + RENDER_MS };
    return kept.page;
  };
}
