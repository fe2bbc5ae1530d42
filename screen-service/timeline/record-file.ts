import type { Recorded } from './timeline-recorder.js';

/** What was done with a file of a phone. Never its content. */
export interface FileUse {
  operation: 'read' | 'write' | 'delete';
  path: string;
  /** Bytes; absent: not known. */
  size?: number | undefined;
}

export function recordFile({ operation, path, size }: FileUse): Recorded {
  const request = { operation, path, ...(size !== undefined && { size }) };
  return { secrets: [], heldBytes: 0, describe: async () => ({ request }) };
}
