import { systemClock } from './clock.js';
import { misspeltSettings } from './config/misspelt-settings.js';
import { Lifecycle } from './lifecycle.js';
import { createLog, type Log, type LogOptions } from './log.js';
import { Readiness } from './ops/readiness.js';

/** Longest time that a shutdown may take before the process ends anyway, ms. Kubernetes kills after 30 s by default. */
const DRAIN_MS = 25_000;

/** Arguments of a service's start. */
export interface Running<C> {
  config: C;
  log: Log;
  /** Each part that is opened is added here, so that it is closed in reverse order. */
  lifecycle: Lifecycle;
  /** Ready once `start` has ended, and until the first signal. Dependencies are added here. */
  readiness: Readiness;
  /** Ends the process with status 1 after closing everything; for failures that the service cannot survive. */
  giveUp: (reason: Error) => void;
}

/**
 * Runs a service until SIGTERM or SIGINT, which close its parts in reverse order and end the process with status 0. A
 * configuration that cannot be used, or a start that fails, is reported on standard error and ends with status 1. Between a SIGTERM and
 * the first part that closes are `stopDelayMs`, in which a load balancer notices that the service is no longer ready.
 */
export async function runService<C extends { log: LogOptions; stopDelayMs?: number }>(
  readConfig: (environment: NodeJS.ProcessEnv, isTerminal: boolean) => C,
  start: (running: Running<C>) => Promise<void>,
): Promise<void> {
  let config: C;
  try {
    config = readConfig(process.env, process.stderr.isTTY); // eslint-disable-line no-restricted-properties -- handed to config.ts
  } catch (error) {
    report(error);
    process.exit(1);
  }
  const log = createLog(config.log);
  for (const line of misspeltSettings(process.env)) log.warn(line); // eslint-disable-line no-restricted-properties -- names alone
  const lifecycle = new Lifecycle(log);
  const readiness = new Readiness({ clock: systemClock, log });
  const end = (status: number): void => {
    // A timer of the process itself, not of a passed-in clock: it is the net under everything else.
    setTimeout(() => process.exit(1), DRAIN_MS).unref(); // eslint-disable-line no-restricted-globals -- see above
    void lifecycle.close().then(() => process.exit(status));
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      log.info(
        { signal },
        `stopping, once requests and steps of jobs under way have ended, in ${DRAIN_MS / 1_000} s at the most; a second signal ends it at once`,
      );
      const delayMs = signal === 'SIGTERM' && readiness.state === 'started' ? (config.stopDelayMs ?? 0) : 0;
      readiness.stop();
      void systemClock.sleep(delayMs).then(() => end(0));
    });
  }
  const giveUp = (reason: Error): void => {
    log.fatal({ err: reason }, 'giving up');
    readiness.stop();
    end(1);
  };
  try {
    await start({ config, log, lifecycle, readiness, giveUp });
    readiness.start();
  } catch (error) {
    log.debug({ err: error }, 'start failed');
    // Closing a service that is still starting makes its start fail; it ends as the signal, or giveUp, requires.
    if (readiness.state === 'stopping') return;
    report(error);
    await lifecycle.close();
    process.exit(1);
  }
}

function report(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
