import type { Entry } from './timeline-query.ts';

/** A target of `act` that means the same later. It replaces an id, which only the next steps of its key can use. */
export type LastingTarget = { text: string; role: string } | { x: number; y: number };

/** Matches a line of an element: `e14 textfield "Title" @360,220`. Its grammar is in the reference of Observation. */
const LINE = /^(e\d+) (\w+)(?: "((?:[^"\\]|\\.)*)")?[^@]* @(\d+),(\d+)/;

/** Collects the elements that lines of changes have shown so far, by key and id. */
export class SeenElements {
  readonly #targets = new Map<string, LastingTarget>();

  /** Reads the elements that an entry shows. */
  see({ key, changed = '' }: Entry): void {
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
 * Returns a text of an entry's changes that a replay will surely show. Clocks and counters are skipped, because they differ the next time.
 */
export function lastingText({ changed = '' }: Entry): string | undefined {
  for (const line of changed.split('\n')) {
    const text = unescaped(LINE.exec(line)?.[3] ?? '');
    if (text !== '' && text.length <= 60 && !/[\d•…]/.test(text)) return text;
  }
  return undefined;
}

function unescaped(text: string): string {
  return text.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
}
