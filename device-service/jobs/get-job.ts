import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Job, JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { maySee } from '../access/visibility.js';
import { WAIT_POLL_MS } from '../limits.js';
import type { DeviceStore } from '../store/devices.js';
import type { JobStore } from '../store/jobs.js';
import type { JobBell } from './job-bell.js';
import { jobMessage, jobOf } from './job-message.js';

export interface GetJobParts {
  devices: DeviceStore;
  jobs: JobStore;
  bell: JobBell;
  clock: Clock;
}

/** One job; with a wait, held until it is finished or the time is up. */
export async function getJob(
  parts: GetJobParts,
  caller: Caller,
  id: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Job> {
  const { bell, clock } = parts;
  const deadlineMs = clock.monotonicMs() + waitMs;
  for (;;) {
    // The bell is hung before the look, so an end that comes in between is heard.
    const woken = new AbortController();
    const remainingMs = deadlineMs - clock.monotonicMs();
    const rung = bell.wait(
      id,
      Math.max(0, Math.min(remainingMs, WAIT_POLL_MS)),
      clock,
      AbortSignal.any([signal, woken.signal]),
    );
    const job = await findVisibleJob(parts, caller, id).finally(() => {
      if (remainingMs <= 0) woken.abort();
    });
    if (job.state !== JobState.RUNNING || remainingMs <= 0 || signal.aborted) {
      woken.abort();
      return job;
    }
    await rung;
  }
}

/** An unfinished job is with its device; a finished one is filed soon after. */
async function findVisibleJob({ devices, jobs }: GetJobParts, caller: Caller, id: string): Promise<Job> {
  const device = await devices.findByJob(id);
  const current = device?.accountId === caller.accountId && maySee(caller, device) ? jobOf(device) : undefined;
  if (current !== undefined) return current;
  const filed = await jobs.find(id);
  if (
    filed?.accountId === caller.accountId &&
    maySee(caller, { name: filed.device, createdBy: filed.deviceCreatedBy })
  ) {
    return jobMessage({ ...filed, id: filed._id });
  }
  throw new ApiError('not_found', `There is no job "${id}" that this key can see. Jobs are kept for 30 days.`);
}
