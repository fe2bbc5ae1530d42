import type { Clock } from '../../../kit/async/clock.js';
import type { PeriodicTask } from '../../../kit/ops/periodic-tasks.js';
import type { AuditStore } from '../../store/audit.js';

/** How long entries of audit logs are stored, days, when the operator gives no time. */
export const DEFAULT_AUDIT_DAYS = 365;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * Returns the task that removes entries whose time is over. The last entry of an account stays, so that the chain and its numbers go on. What
 * is left of a chain is a chain, whose first entry names a digest that is no longer there.
 */
export function removeOldEntries(store: AuditStore, keptDays: number, clock: Pick<Clock, 'now'>): PeriodicTask {
  return {
    name: 'remove old entries of audit logs',
    everyMs: HOUR_MS,
    run: async (signal) => {
      const at = new Date(clock.now() - keptDays * DAY_MS);
      let accountId = await store.accountAfter('');
      while (accountId !== undefined && !signal.aborted) {
        await store.removeBefore(accountId, at);
        accountId = await store.accountAfter(accountId);
      }
    },
  };
}
