import { SETTING_NAMES } from './setting-list/setting-list.js';

/**
 * The shortest name of a setting that counts as misspelt when two letters are wrong. A shorter name allows one wrong letter, as many words
 * of other programs are similar to it.
 */
const SHORT = 8;

/** Returns a line for each variable that has no effect, as its name differs from a setting's by one or two letters. No line has a value. */
export function misspeltSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const known = new Set(SETTING_NAMES);
  return Object.keys(environment)
    .filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && name.length <= 40 && !known.has(name))
    .flatMap((name) => {
      const meant = SETTING_NAMES.find((setting) => distance(name, setting) <= (setting.length < SHORT ? 1 : 2));
      // The right setting may be set as well: then the misspelt name may be another program's.
      if (meant === undefined || environment[meant] !== undefined) return [];
      return [`${name} is not a setting and has no effect. Is ${meant} meant?`];
    });
}

/**
 * Returns how many letters must be added, removed, replaced or exchanged with their neighbour to turn one name into the other. This is
 * Damerau's distance, with each place changed once.
 */
function distance(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (before[j - 2] ?? 0) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
