import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { AllowedHosts } from '../kit/allowed-hosts.js';
import type { Clock } from '../kit/clock.js';
import { lockFolder } from '../kit/folder-lock.js';
import type { ServerCertificate } from '../kit/https/server-certificate.js';
import { listenPages } from '../kit/listen-pages.js';
import type { Log } from '../kit/log.js';
import { repeat } from '../kit/repeat.js';
import type { Check } from './checks/outcome.js';
import { runChecks } from './checks/run-checks.js';
import type { ComponentId } from './components.js';
import { record } from './history/history.js';
import { HistoryFile } from './history/history-file.js';
import { CHECK_INTERVAL_MS } from './limits.js';
import { checkMetrics } from './metrics.js';
import { statusPages } from './page/status-pages.js';
import { report } from './report/report.js';

export interface StatusServiceOptions {
  /** The history is in the folder `status` in it. One status service at a time. */
  dataDirectory: string;
  host: string;
  /** 0 picks a free one. */
  port: number;
  /** Absent: plain http. */
  certificate?: ServerCertificate | undefined;
  /** The hosts that requests may name. Absent: addresses and localhost. */
  hosts?: AllowedHosts;
  /** Whether a proxy is in front of the page, so that all connections have the proxy's address. Absent: no. */
  behindProxy?: boolean;
  metrics: Registry;
  clock: Clock;
  log: Log;
}

export interface StatusService {
  /** The port it got. */
  port: number;
  /**
   * Begins to check, at most every five minutes, over restarts too, and not before `startMs` from now (absent: 0) have passed.
   * To be closed before the checked services: their end is no failure.
   */
  watch(checks: Record<ComponentId, Check>, startMs?: number): { close(): Promise<void> };
  close(): Promise<void>;
}

/** Opens the history and serves the page. It needs no other service: it is for the time when they are down. */
export async function openStatusService(options: StatusServiceOptions): Promise<StatusService> {
  const { dataDirectory, clock, log, metrics } = options;
  const directory = join(dataDirectory, 'status');
  const lock = lockFolder(directory);
  try {
    const file = new HistoryFile(directory);
    const history = file.read(clock.now(), log);
    const countChecks = checkMetrics(metrics);
    const pages = statusPages(clock, () => report(history, clock.now()));
    const place = { wanted: 'for the status page (STATUS_PORT)', hostSetting: 'STATUS_HOST' };
    const limits = options.behindProxy === true ? { connectionsOfAddressMax: Infinity } : {};
    const listener = await listenPages({ ...options, ...place, pages, name: 'status service', limits });

    const watch: StatusService['watch'] = (checks, startMs = 0) => {
      const round = async (signal: AbortSignal): Promise<void> => {
        const outcomes = await runChecks(checks, { clock, log, signal });
        countChecks(outcomes);
        record(history, outcomes, clock.now());
        // When that fails, the round is shown all the same, and the next one writes it too.
        await file.write(history);
      };
      const sinceMs = clock.now() - (history.checkedMs ?? -Infinity);
      // A last round in the future shows that the clock went back: then it is not known how long ago it was.
      const firstMs = sinceMs < 0 ? CHECK_INTERVAL_MS : Math.max(startMs, CHECK_INTERVAL_MS - sinceMs);
      return repeat({ clock, log, everyMs: CHECK_INTERVAL_MS, firstMs, step: 'write the status history' }, round);
    };
    return {
      port: listener.port,
      watch,
      close: async () => {
        await listener.close();
        lock.close();
      },
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}
