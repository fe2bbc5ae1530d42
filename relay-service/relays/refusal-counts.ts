import type { RelayMetrics } from '../metrics.js';
import type { Rule } from '../policy/rule.js';

/** Counts the refusals of a relay until they are written to the database. */
export class RefusalCounts {
  readonly #metrics: RelayMetrics;
  #counts: Partial<Record<Rule, number>> = {};
  /** Connections refused since the last report, which logs them together: adb reconnects four times a second. */
  #connections = new Map<Rule, { count: number; latest: string }>();

  constructor(metrics: RelayMetrics) {
    this.#metrics = metrics;
  }

  /** Those that are not written yet. */
  get unwritten(): Readonly<Partial<Record<Rule, number>>> {
    return this.#counts;
  }

  add(rule: Rule): void {
    this.#metrics.refused(rule);
    this.#counts[rule] = (this.#counts[rule] ?? 0) + 1;
  }

  addConnection(rule: 'address' | 'sessions', address: string): void {
    this.add(rule);
    this.#connections.set(rule, { count: (this.#connections.get(rule)?.count ?? 0) + 1, latest: address });
  }

  /** Returns those that are not written yet, and begins anew. */
  take(): Partial<Record<Rule, number>> {
    const counts = this.#counts;
    this.#counts = {};
    return counts;
  }

  /** They could not be written. */
  giveBack(counts: Partial<Record<Rule, number>>): void {
    for (const rule of Object.keys(counts) as Rule[])
      this.#counts[rule] = (this.#counts[rule] ?? 0) + (counts[rule] ?? 0);
  }

  /** Returns the refused connections since the last call, by rule. */
  takeConnections(): Iterable<[Rule, { count: number; latest: string }]> {
    const connections = this.#connections;
    this.#connections = new Map();
    return connections;
  }
}
