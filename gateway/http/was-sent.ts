import type { ServerResponse } from 'node:http';

/**
 * Returns whether a response was written to its end, when it closes. Over HTTP/2, `writableFinished` is also true for a response that the
 * client has cut off, so that it alone does not show this.
 */
export function wasSent({ writableEnded, writableFinished }: ServerResponse): boolean {
  return writableEnded && writableFinished;
}
