import type { ScreenElement } from './elements.js';
import { elementLine, placeLine } from './element-line.js';

/** Returns elements as text, one line each. */
export function elementsText(elements: readonly ScreenElement[]): string {
  return elements.map(elementLine).join('\n');
}

/**
 * Returns the differences from an earlier list, compared by id: lines of new and changed elements, of moved ones, and of those that are
 * gone.
 */
export function changedText(before: readonly ScreenElement[], now: readonly ScreenElement[]): string {
  const earlier = new Map(before.map((element) => [element.id, element]));
  const lines: string[] = [];
  for (const element of now) {
    const old = earlier.get(element.id);
    earlier.delete(element.id);
    const line = elementLine(element);
    if (old !== undefined && elementLine(old) === line) continue;
    const moved = old !== undefined && elementLine({ ...old, bounds: element.bounds }) === line;
    lines.push(moved ? placeLine(element) : line);
  }
  if (earlier.size > 0) lines.push(['gone', ...earlier.keys()].join(' '));
  return lines.join('\n');
}
