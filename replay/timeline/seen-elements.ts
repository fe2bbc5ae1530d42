import type { Entry } from './entry.js';

/** A target of `act` that means the same later. It replaces an id, which only the next steps of its key can use. */
export type LastingTarget = { text: string; role: string } | { x: number; y: number };

/** Matches a line of an element: `e14 textfield "Title" @360,220`. Its grammar is in the reference of Observation. */
const LINE = /^(e\d+) (\w+)(?: "((?:[^"\\]|\\.)*)")?[^@]* @(\d+),(\d+)/;

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

/**
 * Returns a text of an entry's changes that a replay will surely show. Clocks and counters are skipped, because they differ the next time,
 * and so are secrets, which are shown as dots.
 */
export function lastingText({ changed = '' }: Entry): string | undefined {
  for (const line of changed.split('\n')) {
    const text = unescaped(LINE.exec(line)?.[3] ?? '');
    if (text !== '' && text.length <= MAX_EXPECTED_CHARS && !/[\d•…\n]/.test(text)) return text;
  }
  return undefined;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
