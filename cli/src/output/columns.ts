import { plainLine } from './plain-text.js';

/** A column of a table: its title, and the text of an item. */
export type Column<T> = readonly [title: string, text: (item: T) => string | number | undefined];

/** Returns a table with a line for each item. An absent text is a dash. */
export function tableOf<T>(items: readonly T[], columns: readonly Column<T>[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...items.map((item) => columns.map(([, text]) => plainLine(String(text(item) ?? '')) || '-')),
  ];
  const widths = columns.map((_, at) => Math.max(...rows.map((row) => lengthOf(row[at] ?? ''))));
  return rows
    .map((row) =>
      row
        .map((text, at) => text + ' '.repeat((widths[at] ?? 0) - lengthOf(text)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Returns lines of a name and a value, for one object. Lines without a value are left out. */
export function factsOf(facts: readonly (readonly [name: string, value: string | number | undefined])[]): string {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  const width = Math.max(0, ...known.map(([name]) => name.length));
  return known.map(([name, value]) => `${name.padEnd(width)}  ${plainLine(String(value))}`).join('\n');
}

/** Returns how many places of a terminal a text takes, as far as its characters are one place wide. */
function lengthOf(text: string): number {
  return Array.from(text).length;
}
