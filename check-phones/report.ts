import type { RowResult } from './row.js';

/** The report as a table for people. */
export function tableOf(results: readonly RowResult[]): string {
  const width = Math.max(...results.map(({ row }) => row.length));
  const lines = results.map(
    ({ row, outcome, seconds, detail }) =>
      `${row.padEnd(width)}  ${outcome.padEnd(11)}  ${seconds.toFixed(1).padStart(7)} s  ${detail}`,
  );
  return `${lines.join('\n')}\n\n${totalOf(results)}\n`;
}

/** The report for programs, to attach to an issue too. It holds no key. */
export function jsonOf(results: readonly RowResult[], about: { model: string; android: string }): string {
  return `${JSON.stringify({ ...about, passed: isPassed(results), rows: results }, undefined, 2)}\n`;
}

export function isPassed(results: readonly RowResult[]): boolean {
  return results.every(({ outcome }) => outcome !== 'fail');
}

function totalOf(results: readonly RowResult[]): string {
  const count = (wanted: string): number => results.filter(({ outcome }) => outcome === wanted).length;
  return `${count('pass')} pass, ${count('fail')} fail, ${count('not offered')} not offered`;
}
