import type { Clock } from '../../kit/async/clock.js';
import { createId } from '../../kit/text/ids.js';
import type { Job, JobOutcome } from '../store/device-document.js';

/** Returns a job as it begins. */
export function newJob(
  clock: Pick<Clock, 'now'>,
  request: Pick<
    Job,
    'kind' | 'requestedBy' | 'groupId' | 'startAfter' | 'work' | 'snapshot' | 'template' | 'apps' | 'move' | 'upgrade'
  > & {
    id?: string;
  },
): Job {
  const nowMs = clock.now();
  return { id: createId('job', nowMs), ...request, createdAt: new Date(nowMs), progress: 0 };
}

/** Returns the same job once it has ended. */
export function finishedJob({ id, kind, createdAt, progress }: Job, outcome: JobOutcome): Job {
  return { id, kind, createdAt, progress: outcome.state === 'done' ? 100 : progress, outcome };
}
