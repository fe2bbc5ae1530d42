import type { RelayMetrics } from '../metrics.js';
import type { Rule } from '../policy/rule.js';

/** Refusals of a relay by rule, since it was enabled. */
export type RefusalTotals = Partial<Record<Rule, number>>;

/** Counts the refusals of a relay. The totals are written to the database as they are, so a write may be repeated. */
export class RefusalCounts {
  readonly #metrics: RelayMetrics;
  readonly #totals: RefusalTotals;

  /** `before`: the totals of the same relay from the time before this instance listened for it. */
  constructor(metrics: RelayMetrics, before: RefusalTotals) {
    this.#metrics = metrics;
    this.#totals = { ...before };
  }

  get totals(): RefusalTotals {
    return { ...this.#totals };
  }

  add(rule: Rule): void {
    this.#metrics.refused(rule);
    this.#totals[rule] = (this.#totals[rule] ?? 0) + 1;
  }
}
