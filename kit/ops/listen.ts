import type { Registry } from 'prom-client';
import type { Clock } from '../clock.js';
import { listenPages, type PageLimits, type PageListener } from '../listen-pages.js';
import type { Log } from '../log.js';
import { opsPages } from './pages.js';
import type { Readiness } from './readiness.js';

export interface OpsListenOptions {
  /** Address to listen on. No response holds a secret, and none is for customers. */
  host: string;
  /** 0 picks a free one. */
  port: number;
  metrics: Registry;
  readiness: Readiness;
  clock: Clock;
  log: Log;
  /** Absent bounds are the usual ones of pages. */
  limits?: Partial<PageLimits>;
}

/** Serves /metrics, /livez and /readyz. Closed last: it reports how the shutdown proceeds. */
export function listenOps(options: OpsListenOptions): Promise<PageListener> {
  const wanted = 'for metrics and probes (OPS_PORT)';
  return listenPages({ ...options, pages: opsPages(options), name: 'ops port', wanted, hostSetting: 'OPS_HOST' });
}
