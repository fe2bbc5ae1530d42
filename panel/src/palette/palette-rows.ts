import type { LucideIcon } from 'lucide-react';

/** A row of the palette: a page to open, or an action. */
export interface PaletteRow {
  id: string;
  label: string;
  icon: LucideIcon;
  /** Further words by which the row is found. */
  words?: string;
  /** The text at the right edge: the state of a phone, or a note that the row leads out of the panel. */
  note?: string;
  act: () => void;
  /** Whether the row leads to another page, which then takes the focus. */
  isNavigation: boolean;
}

export interface PaletteGroup {
  title: string;
  rows: readonly PaletteRow[];
  /** The number of rows that are shown before anything is typed. Absent: all. */
  shownFirst?: number;
}

/** How many rows of a group are shown at most while a person searches. The person finds the rest by typing more. */
const MAX_SHOWN_ROWS = 20;

/** Returns the groups with the rows that have every typed word. The group with the best row comes first. */
export function foundIn(groups: readonly PaletteGroup[], query: string): PaletteGroup[] {
  const typed = query.trim().toLowerCase();
  if (typed === '') {
    return groups
      .map(({ title, rows, shownFirst = rows.length }) => ({ title, rows: rows.slice(0, shownFirst) }))
      .filter(({ rows }) => rows.length > 0);
  }
  return groups
    .map(({ title, rows }) => {
      const ranked = rows
        .map((row) => ({ row, rank: rankOf(row, typed) }))
        .filter(({ rank }) => rank < NOT_FOUND)
        .sort((a, b) => a.rank - b.rank);
      return { title, rows: ranked.slice(0, MAX_SHOWN_ROWS).map(({ row }) => row), rank: ranked[0]?.rank ?? NOT_FOUND };
    })
    .filter(({ rows }) => rows.length > 0)
    .sort((a, b) => a.rank - b.rank);
}

const NOT_FOUND = 9;

/**
 * Returns the rank of a row; low ranks come first. 0: the label begins with the typed text. 1: a later word of the label begins with it.
 * 2: the label has all typed words. 3: the label and the further words together have all typed words.
 */
function rankOf({ label, words = '' }: PaletteRow, typed: string): number {
  const name = label.toLowerCase();
  if (name.startsWith(typed)) return 0;
  if (name.includes(` ${typed}`) || name.includes(`-${typed}`)) return 1;
  const parts = typed.split(/\s+/);
  if (parts.every((part) => name.includes(part))) return 2;
  const all = `${name} ${words.toLowerCase()}`;
  return parts.every((part) => all.includes(part)) ? 3 : NOT_FOUND;
}
