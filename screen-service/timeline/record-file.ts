import type { Recorded } from './timeline-recorder.js';

/** How a caller used a file of a phone, for the timeline. The content of the file is never part of it. */
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
