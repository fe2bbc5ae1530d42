import { escaped } from './escaped.js';
import type { Report } from './summary.js';

/** Returns the report in the format of JUnit, which CI systems show: a suite for each family, a case for each episode. */
export function junitOf({ families, episodes, total }: Report): string {
  const suites = Object.entries(families).map(([family, sums]) => {
    const cases = episodes
      .filter((episode) => episode.family === family)
      .map(({ task, seed, seconds, success, reason, goal }) => {
        const head = `<testcase classname="${escaped(family)}" name="${escaped(`${task}, seed ${seed}`)}" time="${seconds.toFixed(3)}"`;
        if (success) return `    ${head}/>`;
        return `    ${head}><failure message="${escaped(reason ?? 'the goal was not reached')}">${escaped(goal)}</failure></testcase>`;
      });
    const counts = `tests="${sums.episodes}" failures="${sums.episodes - sums.succeeded}" time="${sums.seconds.toFixed(3)}"`;
    return [`  <testsuite name="${escaped(family)}" ${counts}>`, ...cases, '  </testsuite>'].join('\n');
  });
  const counts = `tests="${total.episodes}" failures="${total.episodes - total.succeeded}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="gym" ${counts}>`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n');
}
