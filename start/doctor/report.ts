import type { Finding } from './finding.js';

/** Returns how many checks failed, as one line; undefined where none did. Warnings pass. */
export function failureOf(findings: readonly Finding[]): string | undefined {
  const failed = findings.filter(({ outcome }) => outcome === 'fail').length;
  return failed === 0 ? undefined : `${failed} ${failed === 1 ? 'check' : 'checks'} failed.`;
}

/** Returns the findings as JSON on one line. */
export function findingsJson(findings: readonly Finding[]): string {
  return JSON.stringify({ ok: failureOf(findings) === undefined, checks: findings });
}

/** Returns the findings as lines for people, those to see to with what to do. */
export function findingsText(findings: readonly Finding[]): string {
  const lines = findings.map(({ check, outcome, found, next }) => {
    const line = `${outcome.padEnd(7)}  ${check}: ${found}`;
    return next === undefined ? line : `${line}\n         ${next}`;
  });
  return `${lines.join('\n')}\n`;
}
