import type { RowResult } from './row.js';

/** What a report is about, so that reports of several hosts can be compared. */
export interface About {
  model: string;
  android: string;
  /** The kernel and the processor of the machine that ran the check, which is the phones' host where the service was its own. */
  kernel: string;
  processor: string;
  /** Facts of the phones' host by `--about-command`, such as `engine` and `digest`. */
  host: Readonly<Record<string, string>>;
}

/** The report as a table for people. */
export function tableOf(results: readonly RowResult[]): string {
  const width = Math.max(...results.map(({ row }) => row.length));
  const lines = results.map(
    ({ row, outcome, seconds, detail }) =>
      `${row.padEnd(width)}  ${outcome.padEnd(11)}  ${seconds.toFixed(1).padStart(7)} s  ${detail}`,
  );
  return `${lines.join('\n')}\n\n${totalOf(results)}\n`;
}

/** Returns the report as JSON, for programs. It holds no key, so that it can also be attached to an issue. */
export function jsonOf(results: readonly RowResult[], about: About): string {
  return `${JSON.stringify({ ...about, passed: isPassed(results), rows: results }, undefined, 2)}\n`;
}

export function isPassed(results: readonly RowResult[]): boolean {
  return results.every(({ outcome }) => outcome !== 'fail');
}

function totalOf(results: readonly RowResult[]): string {
  const count = (wanted: string): number => results.filter(({ outcome }) => outcome === wanted).length;
  return `${count('pass')} pass, ${count('fail')} fail, ${count('not offered')} not offered`;
}
