import type { CST } from 'yaml';
import { MAX_FILE_DEPTH, MAX_FILE_PIECES } from './limits.js';
import { ReplayFault } from './replay.js';

/** Syntax that makes large values of small texts, or values of other kinds than JSON's. */
const REFUSED: Readonly<Record<string, string>> = {
  alias: 'An alias (*name) is not allowed. Write the value again in its place.',
  anchor: 'An anchor (&name) is not allowed. Remove it.',
  tag: 'A tag (!name) is not allowed. Remove it.',
  directive: 'A directive (%) is not allowed. Remove it.',
};

/**
 * Throws for a text that is nested too deep, has too many pieces, or has syntax that a replay does not need. It goes through the tokens
 * without recursion, because a deep text would end the stack of the steps that follow.
 */
export function refuseHostile(tokens: readonly CST.Token[], lineAt: (offset: number) => number): void {
  const waiting: { token: unknown; depth: number }[] = tokens.map((token) => ({ token, depth: 0 }));
  let pieces = 0;
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { token, depth } = next;
    if (typeof token !== 'object' || token === null) continue;
    if (Array.isArray(token)) {
      for (const inner of token) waiting.push({ token: inner, depth });
      continue;
    }
    const { type = '', offset = 0 } = token as { type?: string; offset?: number };
    const refused = REFUSED[type];
    if (refused !== undefined) throw new ReplayFault(`line ${lineAt(offset)}: ${refused}`);
    if (++pieces > MAX_FILE_PIECES)
      throw new ReplayFault(
        `The file has more than ${MAX_FILE_PIECES} pieces of syntax. Divide it into several files.`,
      );
    const isNested = type === 'block-map' || type === 'block-seq' || type === 'flow-collection';
    const inside = isNested ? depth + 1 : depth;
    if (inside > MAX_FILE_DEPTH)
      throw new ReplayFault(`line ${lineAt(offset)}: Lists and maps are nested deeper than ${MAX_FILE_DEPTH}.`);
    for (const inner of Object.values(token as Record<string, unknown>))
      if (typeof inner === 'object') waiting.push({ token: inner, depth: inside });
  }
}
