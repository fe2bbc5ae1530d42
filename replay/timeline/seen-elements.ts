import type { Entry } from './entry.js';

/** A target of `act` that means the same later. It replaces an id, which only the next steps of its key can use. */
export type LastingTarget = { text: string; role: string } | { x: number; y: number };

/**
 * Matches a line of an element: `e14 textfield "Title" ="Oat milk" @360,220`. Its grammar is in the reference of Observation. All that is
 * quoted is matched as a whole, because it may have an `@` or a place in it.
 */
const LINE = /^(e\d+) (\w+)(?: "((?:[^"\\]|\\.)*)")?(?: =?"(?:[^"\\]|\\.)*")?(?: #\S+)? @(\d+),(\d+)/;

/** Matches the text of a field in its line: `e14 textfield "Title" ="Oat milk" @360,220`. */
const VALUE = /^e\d+ textfield(?: "(?:[^"\\]|\\.)*")? ="((?:[^"\\]|\\.)*)" @/;

/** Longest text that is expected after a step, characters. */
const MAX_EXPECTED_CHARS = 60;

/** Collects the elements that lines of changes have shown so far, by key and id. */
export class SeenElements {
  readonly #targets = new Map<string, LastingTarget>();

  /** Reads the elements that an entry shows. The numbers in an entry of raw input are no ids of its key. */
  see({ kind, key, changed = '' }: Entry): void {
    if (kind === 'input') return;
    for (const line of changed.split('\n')) {
      const [, id, role = '', text = '', x, y] = LINE.exec(line) ?? [];
      if (id === undefined) continue;
      const words = unescaped(text);
      this.#targets.set(`${key} ${id}`, words === '' ? { x: Number(x), y: Number(y) } : { text: words, role });
    }
  }

  targetOf(key: string, id: string): LastingTarget | undefined {
    return this.#targets.get(`${key} ${id}`);
  }
}

/** Roles of controls. Their words are those of the page, while other texts are mostly contents, which differ from day to day. */
const CONTROLS: readonly string[] = ['button', 'textfield', 'checkbox', 'switch', 'radio', 'combobox', 'slider'];

/**
 * Returns a text of an entry's changes that a replay will surely show, that of a control first. Clocks and counters are skipped, because they
 * differ the next time. So are secrets, which are shown as dots, and `known` words: those that were tapped may have been there before.
 */
export function lastingText({ changed = '' }: Entry, known: readonly string[]): string | undefined {
  const found = changed.split('\n').flatMap((line) => {
    const [, , role = '', quoted = ''] = LINE.exec(line) ?? [];
    const text = unescaped(quoted);
    const isLasting = text !== '' && text.length <= MAX_EXPECTED_CHARS && !/[\d•…\n]/.test(text);
    // An expectation is met by a part of a text, too.
    const isKnown = known.some((words) => words.toLowerCase().includes(text.toLowerCase()));
    return isLasting && !isKnown ? [{ role, text }] : [];
  });
  return (found.find(({ role }) => CONTROLS.includes(role)) ?? found[0])?.text;
}

/** Whether an entry's changes have a field with this text in it. */
export function showsInField({ changed = '' }: Entry, text: string): boolean {
  return changed.split('\n').some((line) => unescaped(VALUE.exec(line)?.[1] ?? '').includes(text));
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
