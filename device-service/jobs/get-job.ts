import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Job, JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { maySee } from '../access/visibility.js';
import { WAIT_POLL_MS } from '../limits.js';
import type { DeviceStore } from '../store/devices.js';
import type { JobStore } from '../store/jobs.js';
import type { JobBell } from './job-bell.js';
import { jobMessage, jobWithDevice } from './job-message.js';
import type { JobWorker } from './worker.js';

export interface GetJobParts {
  devices: DeviceStore;
  jobs: JobStore;
  worker: JobWorker;
  bell: JobBell;
  clock: Clock;
}

/** One job; with a wait, held until it is finished, the time is up, the caller hangs up, or the process is about to end. */
export async function getJob(
  parts: GetJobParts,
  caller: Caller,
  id: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Job> {
  const { bell, clock, worker } = parts;
  const deadlineMs = clock.monotonicMs() + waitMs;
  // The end of what this process is working on is told, so it is not looked up first. Only at first: another may take it over.
  let told = isVisible(caller, worker.deviceOf(id));
  for (;;) {
    const remainingMs = deadlineMs - clock.monotonicMs();
    if (remainingMs <= 0 || signal.aborted || bell.closed) return findVisibleJob(parts, caller, id);
    // The wait begins before the look, so an end that comes in between is heard.
    const wait = bell.wait(id, Math.min(remainingMs, WAIT_POLL_MS), clock);
    signal.addEventListener('abort', wait.over, { once: true });
    try {
      if (!told) {
        const job = await findVisibleJob(parts, caller, id);
        if (job.state !== JobState.RUNNING) return job;
      }
      told = false;
      const finished = await wait.rung;
      if (finished !== undefined) return jobMessage({ ...finished, id });
    } finally {
      signal.removeEventListener('abort', wait.over);
      wait.over();
    }
  }
}

/** A job is with its device until it has been filed, which is soon after it is finished. */
async function findVisibleJob({ devices, jobs }: GetJobParts, caller: Caller, id: string): Promise<Job> {
  const device = await devices.findByJob(caller.accountId, id);
  const current = device !== null && isVisible(caller, device) ? jobWithDevice(device, id) : undefined;
  if (current !== undefined) return current;
  const filed = await jobs.find(id);
  if (filed !== null && isVisible(caller, { ...filed, name: filed.device, createdBy: filed.deviceCreatedBy })) {
    return jobMessage({ ...filed, id: filed._id });
  }
  throw new ApiError('not_found', `There is no job "${id}" that this key can see. Jobs are kept for 30 days.`);
}

function isVisible(
  caller: Caller,
  device: { accountId: string; name: string; createdBy: string } | undefined,
): boolean {
  return device !== undefined && device.accountId === caller.accountId && maySee(caller, device);
}
