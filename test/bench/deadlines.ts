import { fuzzDeadlines } from '../faults/deadlines/fuzz-deadlines.js';
import type { Report } from './report.js';

const REQUESTS = 20_000;
const SEED = 20_261_126;

/** Measures what is left of 20,000 requests that end at any moment while phones and database fail. */
export async function benchDeadlines(report: Report): Promise<void> {
  const { byEnd, operations, rejections, warnings, kept } = await fuzzDeadlines({
    requests: REQUESTS,
    seed: SEED,
    atOnce: 12,
  });
  const of = `${REQUESTS} requests of ${operations.size} operations`;
  const rows: [what: string, count: number][] = [
    ['failures that nobody handled', rejections.length],
    ['warnings of Node', warnings.length],
    ['sockets, servers and timers kept', Object.values(kept).reduce((sum, count) => sum + count, 0)],
  ];
  for (const [what, count] of rows)
    report({ what: `${of}: ${what}`, ours: `${count}`, theirs: '', goal: '0', holds: count === 0 });
  const ends = [...byEnd].sort(([, a], [, b]) => b - a).map(([end, count]) => `${end} ${count}`);
  report({ what: `${of}: their ends`, ours: ends.slice(0, 8).join(', '), theirs: '', goal: 'all kinds', holds: true });
}
