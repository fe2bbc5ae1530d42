import { join } from 'node:path';
import type { Registry } from 'prom-client';
import type { AllowedHosts } from '../kit/net/allowed-hosts.js';
import type { Clock } from '../kit/async/clock.js';
import { lockFolder } from '../kit/files/folder-lock.js';
import { listenPages } from '../kit/https/listen-pages.js';
import type { Log } from '../kit/log/log.js';
import type { WebService } from '../kit/service/service.js';
import { repeat } from '../kit/errors/repeat.js';
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
  /** The folder that has the history, in its folder `status`. Only one status service at a time may use it. */
  dataDirectory: string;
  /** The hosts that requests may name. Absent: addresses and localhost. */
  hosts?: AllowedHosts;
  /** Whether a proxy is in front of the page, so that all connections have the proxy's address. Absent: no. */
  behindProxy?: boolean;
  metrics: Registry;
  clock: Clock;
  log: Log;
}

export interface StatusService extends WebService {
  /**
   * Begins to check, at most every five minutes, even across restarts. The first check waits at least `startMs` (absent: 0). Close it
   * before the checked services, as their end would count as a failure.
   */
  watch(checks: Record<ComponentId, Check>, startMs?: number): { close(): Promise<void> };
  close(): Promise<void>;
}

/** Opens the history, for the page and the checks. The page needs no other service, so that it works when the others are down. */
export function createStatusService(options: StatusServiceOptions): StatusService {
  const { dataDirectory, clock, log, metrics } = options;
  const directory = join(dataDirectory, 'status');
  const lock = lockFolder(directory);
  try {
    const file = new HistoryFile(directory);
    const history = file.read(clock.now(), log);
    const countChecks = checkMetrics(metrics);
    const pages = statusPages(clock, () => report(history, clock.now()));
    const place = { wanted: 'for the status page (STATUS_PORT)', hostSetting: 'STATUS_HOST' };
    const limits = options.behindProxy === true ? { maxConnectionsOfAddress: Infinity } : {};

    const watch: StatusService['watch'] = (checks, startMs = 0) => {
      const round = async (signal: AbortSignal): Promise<void> => {
        const outcomes = await runChecks(checks, { clock, log, signal });
        countChecks(outcomes);
        record(history, outcomes, clock.now());
        // When the write fails, the round is shown all the same, and the next round writes it too.
        await file.write(history);
      };
      const sinceMs = clock.now() - (history.checkedMs ?? -Infinity);
      // A last round in the future shows that the clock went back: then it is not known how long ago it was.
      const firstMs = sinceMs < 0 ? CHECK_INTERVAL_MS : Math.max(startMs, CHECK_INTERVAL_MS - sinceMs);
      return repeat({ clock, log, everyMs: CHECK_INTERVAL_MS, firstMs, step: 'write the status history' }, round);
    };
    return {
      listen: (host, port, certificate) =>
        listenPages({ ...options, ...place, host, port, certificate, pages, name: 'status service', limits }),
      watch,
      close: async () => lock.close(),
    };
  } catch (error) {
    lock.close();
    throw error;
  }
}
