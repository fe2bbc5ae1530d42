import type { Outcome } from '../run/run-task.js';

/** The sums of some episodes. */
export interface Sums {
  episodes: number;
  succeeded: number;
  steps: number;
  tokens: number;
  wrongPresses: number;
  seconds: number;
}

/** The report of a run, as its JSON file has it. */
export interface Report {
  policy: string;
  seed: number;
  total: Sums;
  families: Record<string, Sums>;
  resetMs: { median: number; most: number };
  episodes: readonly Outcome[];
}

/** What a run was, beside its outcomes. */
export type RunFacts = Pick<Report, 'policy' | 'seed'>;

export function reportOf(facts: RunFacts, outcomes: readonly Outcome[]): Report {
  const families = [...new Set(outcomes.map(({ family }) => family))];
  const resets = outcomes.map(({ resetMs }) => resetMs).sort((a, b) => a - b);
  return {
    ...facts,
    total: sumsOf(outcomes),
    families: Object.fromEntries(
      families.map((name) => [name, sumsOf(outcomes.filter(({ family }) => family === name))]),
    ),
    resetMs: { median: Math.round(resets[Math.floor(resets.length / 2)] ?? 0), most: Math.round(resets.at(-1) ?? 0) },
    episodes: outcomes,
  };
}

function sumsOf(outcomes: readonly Outcome[]): Sums {
  const sum = (of: (outcome: Outcome) => number): number => outcomes.reduce((all, one) => all + of(one), 0);
  return {
    episodes: outcomes.length,
    succeeded: outcomes.filter(({ success }) => success).length,
    steps: sum(({ steps }) => steps),
    tokens: sum(({ tokens }) => tokens),
    wrongPresses: sum(({ wrongPresses }) => wrongPresses),
    seconds: Math.round(sum(({ seconds }) => seconds) * 10) / 10,
  };
}
