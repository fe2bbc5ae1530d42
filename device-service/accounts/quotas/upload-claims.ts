import { createId } from '../../../kit/text/ids.js';

const PREFIX = 'upl';

/** Returns the id of a new upload to an app library. Its claim for room in the quota has the same id. */
export function newUploadId(nowMs: number): string {
  return createId(PREFIX, nowMs);
}

/** Returns whether an open claim is that of an upload, which writes an app of the library when it ends. */
export function isUploadClaim(id: string): boolean {
  return id.startsWith(`${PREFIX}_`);
}
