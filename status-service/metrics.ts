import { Counter, type Registry } from 'prom-client';
import type { Outcomes } from './checks/run-checks.js';
import { components } from './components.js';

/** Counts the checks of a round. */
export function checkMetrics(metrics: Registry): (outcomes: Outcomes) => void {
  const checks = new Counter({
    name: 'status_checks_total',
    help: 'Checks for the status page, by component and outcome',
    labelNames: ['component', 'outcome'],
    registers: [metrics],
  });
  return (outcomes) => {
    for (const { id } of components) checks.inc({ component: id, outcome: outcomes[id].state });
  };
}
