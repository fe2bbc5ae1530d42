import type { Clock } from '../../kit/clock.js';
import { createId } from '../../kit/ids.js';
import type { Job } from '../store/device-document.js';

/** A job as it begins. */
export function newJob(
  clock: Clock,
  request: Pick<Job, 'kind' | 'requestedBy' | 'startAfter' | 'work' | 'snapshot'> & { id?: string },
): Job {
  const nowMs = clock.now();
  return { id: createId('job', nowMs), ...request, createdAt: new Date(nowMs), progress: 0 };
}
