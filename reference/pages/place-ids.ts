import type { Tokens } from 'marked';
import { plainText } from './plain-text.js';

/** Gives ids to the places in one text, in their order. Places are titles, and rows of tables that describe a name. */
export class PlaceIds {
  readonly #taken = new Map<string, number>();
  readonly #rows = new Set<string>();

  /** Returns the id of a title, which is the one that links in our files use. A repeated id gets a number at its end. */
  ofHeading(title: string): string {
    const slug = slugOf(plainText(title));
    const count = this.#taken.get(slug) ?? 0;
    this.#taken.set(slug, count + 1);
    return slug + (count === 0 ? '' : `-${count}`);
  }

  /**
   * Returns the id of a row: its first name, after a prefix that no title's id has. Undefined when the row has no name, or an earlier row
   * has the same one.
   */
  ofRow(cells: readonly Tokens.TableCell[]): string | undefined {
    const [name] = namesOf(cells);
    if (name === undefined || this.#rows.has(name)) return undefined;
    this.#rows.add(name);
    return `name.${name}`;
  }
}

/**
 * Returns the names that a row describes, as in tables of settings or errors. They are in the first cell, or else the second, that has
 * nothing but code.
 */
export function namesOf(cells: readonly Tokens.TableCell[]): string[] {
  const cell = cells.slice(0, 2).find(({ text }) => /^`[^`]+`(?:, `[^`]+`)*$/.test(text));
  return (cell?.text.match(/`[^`]+`/g) ?? []).map((code) => code.slice(1, -1)).filter((code) => /^[\w.]+$/.test(code));
}

function slugOf(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
