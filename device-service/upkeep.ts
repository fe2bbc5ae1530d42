import type { Clock } from '../kit/clock.js';
import type { Log } from '../kit/log.js';
import { repeat } from '../kit/repeat.js';
import { SWEEP_MS } from './limits.js';

/**
 * Regularly does what ended processes, of this host and others, have left undone. The steps are independent: one that fails is logged,
 * and done again in the next round.
 */
export function startUpkeep(
  clock: Clock,
  log: Log,
  steps: Readonly<Record<string, () => Promise<unknown>>>,
): { close(): Promise<void> } {
  return repeat(clock, SWEEP_MS, async () => {
    for (const [step, run] of Object.entries(steps)) {
      try {
        await run();
      } catch (error) {
        log.warn({ err: error, step }, 'a step of the upkeep failed; trying again');
      }
    }
  });
}
