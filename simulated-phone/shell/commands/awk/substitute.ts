import type { LinearPattern } from '../../../patterns/linear-pattern.js';
import { MAX_TEXT_CHARS } from './cells.js';
import type { Steps } from './steps.js';
import type { Turns } from './turns.js';

/** Replaces the first match, or all matches. `&` in `replacement` stands for the match. Throws RangeError if the result is too long. */
export function* substitute(
  text: string,
  pattern: LinearPattern,
  replacement: string,
  { isEverywhere, turns }: { isEverywhere: boolean; turns: Turns },
): Steps<{ count: number; result: string }> {
  const pieces = piecesOf(replacement);
  const parts: string[] = [];
  let chars = 0;
  let count = 0;
  let from = 0;
  for (const { start, end } of pattern.each(text)) {
    if (turns.isDue(text.length - start)) yield* turns.give();
    // An empty match right after another match does not count: `gsub(/b*/, "-")` turns `abc` into `-a-c-`.
    if (start === end && start === from && count > 0) continue;
    const part = text.slice(from, start) + pieces.map((piece) => piece ?? text.slice(start, end)).join('');
    chars += part.length;
    if (chars > MAX_TEXT_CHARS) throw new RangeError('a text too long');
    parts.push(part);
    count++;
    from = end;
    if (!isEverywhere) break;
  }
  const result = parts.join('') + text.slice(from);
  if (result.length > MAX_TEXT_CHARS) throw new RangeError('a text too long');
  return { count, result };
}

/** Returns the parts of a replacement; undefined stands for the match. */
function piecesOf(replacement: string): (string | undefined)[] {
  return [...replacement.matchAll(/\\\\\\&|\\\\(?=&)|\\&|&|[^&\\]+|\\/g)].map(([piece]) => {
    if (piece === '&') return undefined;
    if (piece === '\\\\\\&') return '\\&';
    if (piece === '\\\\') return '\\';
    return piece === '\\&' ? '&' : piece;
  });
}
