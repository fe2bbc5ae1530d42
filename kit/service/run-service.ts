import { systemClock } from '../async/clock.js';
import { misspeltSettings } from '../config/misspelt-settings.js';
import type { LineBuffer } from '../log/line-buffer.js';
import { Lifecycle } from '../process/lifecycle.js';
import { createLog, linesTo, type Log, type LogOptions } from '../log/log.js';
import { Readiness } from '../ops/readiness.js';
import { UnhandledRejections } from '../ops/unhandled-rejections.js';

/** Longest time that a shutdown may take before the process ends anyway, ms. Kubernetes kills after 30 s by default. */
const DRAIN_MS = 25_000;

/** Printed after the reason of a service's start that failed, as the cause may be in the machine. */
const DOCTOR = 'To check this machine: npm run --silent admin -- doctor\n';

/** Arguments of a service's start. */
export interface Running<C> {
  config: C;
  log: Log;
  /** Each part that is opened is added here, so that it is closed in reverse order. */
  lifecycle: Lifecycle;
  /** Ready from the end of `start` until the first signal or `giveUp`. Dependencies are added here. */
  readiness: Readiness;
  /** The unhandled rejections, counted from before the start. */
  rejections: UnhandledRejections;
  /** The lines of the log, with the number of those that were dropped. */
  lines: Pick<LineBuffer, 'dropped'>;
  /** Ends the process with status 1 after closing everything; for failures that the service cannot survive. */
  giveUp: (reason: Error) => void;
}

/**
 * Runs a service until SIGTERM or SIGINT, which close its parts in reverse order and end the process with status 0. A configuration that
 * cannot be used, or a start that fails, is reported on standard error and ends with status 1. After a SIGTERM, `stopDelayMs` pass before
 * the first part closes. In that time a load balancer notices that the service is no longer ready. A rejection that nobody handles does not
 * end the service. An exception that nobody catches does, as the state that it leaves behind is not known.
 */
export function runService<C extends ProgramConfig>(readConfig: ReadConfig<C>, start: Start<C>): Promise<void> {
  return run(readConfig, start, DOCTOR);
}

/** Runs a program that the operator's command line knows nothing of, such as a simulated phone, in the same way. */
export function runProgram<C extends ProgramConfig>(readConfig: ReadConfig<C>, start: Start<C>): Promise<void> {
  return run(readConfig, start, '');
}

interface ProgramConfig {
  log: LogOptions;
  stopDelayMs?: number;
}
type ReadConfig<C> = (environment: NodeJS.ProcessEnv, isTerminal: boolean) => C;
type Start<C> = (running: Running<C>) => Promise<void>;

/** `advice` follows the reason of a start that failed. */
async function run<C extends ProgramConfig>(readConfig: ReadConfig<C>, start: Start<C>, advice: string): Promise<void> {
  let config: C;
  try {
    config = readConfig(process.env, process.stderr.isTTY); // eslint-disable-line no-restricted-properties -- handed to config.ts
  } catch (error) {
    report(error);
    process.exit(1);
  }
  const lines = linesTo();
  const log = createLog(config.log, lines);
  for (const line of misspeltSettings(process.env)) log.warn(line); // eslint-disable-line no-restricted-properties -- names alone
  const rejections = new UnhandledRejections({ clock: systemClock, log });
  rejections.listen(process);
  const lifecycle = new Lifecycle(log);
  const readiness = new Readiness({ clock: systemClock, log });
  const end = (status: number): void => {
    // The timer is not one of a passed-in clock, as it must end the process whatever else fails.
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
    await start({ config, log, lifecycle, readiness, rejections, lines, giveUp });
    readiness.start();
  } catch (error) {
    log.debug({ err: error }, 'start failed');
    // A start fails if the service is closed meanwhile. The signal, or giveUp, then ends the process.
    if (readiness.state === 'stopping') return;
    report(error);
    process.stderr.write(advice);
    await lifecycle.close();
    process.exit(1);
  }
}

function report(error: unknown): void {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
}
