import { REPLAY_SHAPE } from '../../../replay/format/replay-shape.js';

/** Returns the JSON Schema of replay files, as editors take it. */
export function replaySchema(): string {
  const head = { $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Replay of a cloud phone' };
  return `${JSON.stringify({ ...head, ...REPLAY_SHAPE }, undefined, 2)}\n`;
}
