import type { Usage } from './usage-query.ts';

export type Measure = 'minutes' | 'costMicros';
export type StackedBy = 'device' | 'plan';

/** A bar of the chart: a day or a month, and the parts that it consists of, in the order of the legend. */
export interface Bar {
  label: string;
  parts: number[];
}

export interface Stacks {
  /** Names of the parts. */
  legend: string[];
  /** Whether the last part stands for all parts that have no colour of their own. */
  hasOthers: boolean;
  bars: Bar[];
  /** The height of the tallest bar. */
  most: number;
  unit: 'day' | 'month';
}

/** The most parts of a bar. Where there would be more, the last part stands for all the others. */
const MAX_PARTS = 6;
/** Beyond this many days a bar is a month. */
const MAX_DAYS = 62;
const DAY_MS = 86_400_000;

/** Returns the bars of a period, also for days on which nothing ran. */
export function stacksOf(
  rows: readonly Usage[],
  { from, to }: { from: string; to: string },
  measure: Measure,
  by: StackedBy,
): Stacks {
  const days: string[] = [];
  for (let ms = Date.parse(from); ms <= Date.parse(to); ms += DAY_MS)
    days.push(new Date(ms).toISOString().slice(0, 10));
  const unit = days.length > MAX_DAYS ? 'month' : 'day';
  const barOf = (day: string): string => (unit === 'month' ? day.slice(0, 7) : day);
  const totals = new Map<string, number>();
  for (const row of rows) totals.set(nameOf(row, by), (totals.get(nameOf(row, by)) ?? 0) + row[measure]);
  const names = [...totals].filter(([, total]) => total > 0).sort(([, a], [, b]) => b - a);
  const shown = names.slice(0, names.length > MAX_PARTS ? MAX_PARTS - 1 : MAX_PARTS).map(([name]) => name);
  const others = names.length - shown.length;
  const legend = others > 0 ? [...shown, `${others} others`] : shown;
  const bars = new Map([...new Set(days.map(barOf))].map((label) => [label, legend.map(() => 0)]));
  for (const row of rows) {
    const parts = bars.get(barOf(row.day));
    if (parts === undefined || row[measure] <= 0) continue;
    const at = shown.indexOf(nameOf(row, by));
    const part = at === -1 ? shown.length : at;
    parts[part] = (parts[part] ?? 0) + row[measure];
  }
  const all = [...bars].map(([label, parts]) => ({ label, parts }));
  return { legend, hasOthers: others > 0, bars: all, most: Math.max(0, ...all.map(({ parts }) => total(parts))), unit };
}

export function total(parts: readonly number[]): number {
  return parts.reduce((sum, part) => sum + part, 0);
}

function nameOf({ device, plan }: Usage, by: StackedBy): string {
  return by === 'device' ? device : `by the ${plan}`;
}
