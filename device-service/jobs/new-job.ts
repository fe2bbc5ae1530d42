import type { Clock } from '../../kit/clock.js';
import { createId } from '../../kit/ids.js';
import type { Job, JobOutcome } from '../store/device-document.js';

/** A job as it begins. */
export function newJob(
  clock: Pick<Clock, 'now'>,
  request: Pick<Job, 'kind' | 'requestedBy' | 'startAfter' | 'work' | 'snapshot'> & { id?: string },
): Job {
  const nowMs = clock.now();
  return { id: createId('job', nowMs), ...request, createdAt: new Date(nowMs), progress: 0 };
}

/** The same job once it has ended. */
export function finishedJob({ id, kind, createdAt, progress }: Job, outcome: JobOutcome): Job {
  return { id, kind, createdAt, progress: outcome.state === 'done' ? 100 : progress, outcome };
}
