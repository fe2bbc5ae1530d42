import type { Options } from '../command/options.js';
import { UsageError } from '../output/usage-error.js';
import type { Schemas } from '../service/types.js';

/** What can be done with a phone at the end of its lease. */
export const LEASE_ENDS = ['keep', 'stop', 'restore', 'delete'] as const;

/** The bounds of a lease's time, seconds. */
export const TTL_S = { min: 30, max: 86_400 } as const;

/** The bounds of the wait for a phone, seconds. */
export const WAIT_S = { min: 0, max: 86_400 } as const;

type Terms = Pick<Schemas['CreateLeaseBody'], 'at_end' | 'snapshot'>;

/** Returns what the options say about the end of a lease. */
export function endTermsOf(options: Options): Terms {
  const end = options.text('at-end');
  const snapshot = options.text('snapshot');
  const known = LEASE_ENDS.find((one) => one === end);
  if (end !== undefined && known === undefined)
    throw new UsageError(`--at-end is "${end}". It must be one of ${LEASE_ENDS.join(', ')}.`);
  return { ...(known !== undefined && { at_end: known }), ...(snapshot !== undefined && { snapshot }) };
}
