import type { Clock } from '../../kit/async/clock.js';
import type { Log } from '../../kit/log/log.js';
import { within } from '../../kit/async/within.js';
import { type ComponentId, components } from '../components.js';
import { CHECK_TIMEOUT_MS } from '../limits.js';
import { type Check, ProbeFault, type Outcome } from './outcome.js';

/** The outcomes of one round. */
export type Outcomes = Record<ComponentId, Outcome>;

/** Makes all checks at the same time. Throws the signal's reason when it aborts: a check that was cut short shows nothing. */
export async function runChecks(
  checks: Record<ComponentId, Check>,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<Outcomes> {
  const outcomes = await Promise.all(
    components.map(async ({ id }): Promise<[ComponentId, Outcome]> => {
      const onTimeout = (): Error => new ProbeFault(`did not respond within ${CHECK_TIMEOUT_MS / 1000} s`);
      try {
        return [id, await within({ clock, timeoutMs: CHECK_TIMEOUT_MS, signals: [signal], onTimeout }, checks[id])];
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof ProbeFault) {
          log.warn({ err: error, component: id }, 'a check failed');
          return [id, { state: 'failing', what: error.message }];
        }
        // The check itself is at fault, not the component that it checks.
        log.error({ err: error, component: id }, 'a check could not be made');
        return [id, { state: 'not_checked' }];
      }
    }),
  );
  return Object.fromEntries(outcomes) as Outcomes;
}
