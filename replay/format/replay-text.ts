import { Document, isMap, isSeq, Pair } from 'yaml';
import type { Replay } from './replay.js';

/** Longest line of the file before it is folded, characters. */
const LINE_CHARS = 120;

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
  return document.toString({ lineWidth: LINE_CHARS, flowCollectionPadding: false });
}
