import { Lifecycle } from './lifecycle.js';
import type { Log } from './log.js';

/** Longest time that a shutdown may take before the process ends anyway, ms. Kubernetes kills after 30 s by default. */
const DRAIN_MS = 25_000;

/**
 * Runs a service until SIGTERM or SIGINT: `start` opens its parts and adds each to the lifecycle; a signal closes them in reverse
 * and ends the process with status 0. A start that fails closes what was opened, says why in one line and ends with status 1.
 */
export async function runService(log: Log, start: (lifecycle: Lifecycle) => Promise<void>): Promise<void> {
  const lifecycle = new Lifecycle(log);
  const stop = (signal: string): void => {
    log.info({ signal }, 'stopping');
    // A timer of the process itself, not of a passed-in clock: it is the net under everything else.
    setTimeout(() => process.exit(1), DRAIN_MS).unref(); // eslint-disable-line no-restricted-globals -- see above
    void lifecycle.close().then(() => process.exit(0));
  };
  process.once('SIGTERM', () => stop('SIGTERM'));
  process.once('SIGINT', () => stop('SIGINT'));
  try {
    await start(lifecycle);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    log.debug({ err: error }, 'start failed');
    await lifecycle.close();
    process.exit(1);
  }
}
