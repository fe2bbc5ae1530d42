import { ApiError } from '../../kit/errors/api-error.js';
import type { SnapshotDocument } from '../store/snapshots.js';

/** Throws unless the snapshot can be restored, cloned and made into a template. */
export function assertSnapshotReady({ _id, state, jobId }: SnapshotDocument): void {
  if (state === 'saving') {
    throw new ApiError(
      'busy',
      `The snapshot "${_id}" is still being saved. Wait for its job: GET /v1/jobs/${jobId}?wait_s=30.`,
    );
  }
  if (state !== 'ready') {
    throw new ApiError('bad_request', `The snapshot "${_id}" failed, so there is nothing in it. Choose another.`);
  }
}
