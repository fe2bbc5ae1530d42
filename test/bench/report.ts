/** One line of a bench: ours against a peer or a limit, measured in turn in the same run. */
export interface Row {
  what: string;
  /** With its unit. */
  ours: string;
  theirs: string;
  /** Ours over theirs, pair by pair. Absent where the goal is a figure and not a ratio. */
  ratio?: Ratio;
  goal: string;
  holds: boolean;
}

export interface Ratio {
  median: number;
  min: number;
  max: number;
}

/** Takes rows as they are measured. */
export type Report = (row: Row) => void;

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? NaN;
}

/**
 * Measures two things in turn, A B A B …, after one discarded pair, so that a machine that changes its speed changes both. Each
 * function returns its figure.
 */
export async function inTurn(
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
  pairs = 5,
): Promise<{ ours: number; theirs: number; ratio: Ratio }> {
  const figures: { ours: number; theirs: number }[] = [];
  for (let pair = 0; pair <= pairs; pair++) {
    const figure = { ours: await ours(), theirs: await theirs() };
    if (pair > 0) figures.push(figure);
  }
  const ratios = figures.map((figure) => figure.ours / figure.theirs);
  return {
    ours: median(figures.map((figure) => figure.ours)),
    theirs: median(figures.map((figure) => figure.theirs)),
    ratio: { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) },
  };
}
