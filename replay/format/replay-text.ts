import { Document, isMap, isSeq, Pair } from 'yaml';
import type { Replay } from './replay.js';

/**
 * Texts stay on their lines. The library does not give back every text that it has folded, such as one with many lines of blanks. A text of
 * several lines is quoted, with `\n`.
 */
const STYLE = { lineWidth: 0, blockQuote: false, doubleQuotedMinMultiLineLength: Number.MAX_SAFE_INTEGER } as const;

/** Returns a replay as the text of a file: YAML, with a step in a few lines. `comment` stands above it. */
export function replayText(replay: Replay, comment: string): string {
  const document = new Document(replay, { version: '1.2', schema: 'core', aliasDuplicateObjects: false });
  document.commentBefore = ` ${comment.replaceAll(/[\r\n]+/g, ' ')}`;
  const steps = document.get('steps');
  // The arguments of a step stand on its line.
  if (isSeq(steps))
    for (const step of steps.items)
      if (isMap(step))
        for (const pair of step.items) if (pair instanceof Pair && isMap(pair.value)) pair.value.flow = true;
  return document.toString(STYLE);
}
