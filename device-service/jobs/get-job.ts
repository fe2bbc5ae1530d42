import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Job } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { groupJob } from '../groups/group-message.js';
import { maySeeGroup } from '../groups/get-group.js';
import { maySee } from '../access/visibility.js';
import type { Hosts } from '../hosts/hosts.js';
import { WAIT_POLL_MS } from '../limits.js';
import type { DeviceStore } from '../store/devices.js';
import type { GroupStore } from '../store/groups.js';
import type { JobStore } from '../store/jobs.js';
import { jobMessage, jobWithDevice } from './job-message.js';
import type { JobWaits } from './job-waits.js';

export interface GetJobParts {
  devices: DeviceStore;
  groups: GroupStore;
  jobs: JobStore;
  hosts: Hosts;
  waits: JobWaits;
  clock: Clock;
}

/**
 * Returns one job; with a wait, held until it has ended, the time is up, the caller hangs up, or the process is about to end. The end
 * of a job is noticed by the process of the host that does it: by this one directly, by another one through an rpc; where that cannot
 * be had, the job is read again every second.
 */
export async function getJob(
  parts: GetJobParts,
  caller: Caller,
  id: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Job> {
  const { waits, clock, hosts } = parts;
  const deadlineMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const remainingMs = deadlineMs - clock.monotonicMs();
    if (remainingMs <= 0 || signal.aborted || waits.closed) return (await findVisibleJob(parts, caller, id)).job;
    // The wait begins before the job is read, so an end that comes in between is noticed.
    const wait = waits.begin(id, remainingMs, signal);
    try {
      // A job that this process is doing need not be read: its end brings it along.
      if (isVisible(caller, hosts.deviceOf(id))) {
        const ended = await wait.ended;
        if (ended !== undefined) return jobMessage({ ...ended, id });
        continue;
      }
      const { job, hostId } = await findVisibleJob(parts, caller, id);
      if (hostId === undefined) return job;
      const waited = await hosts.waitForJob(hostId, id, remainingMs, signal);
      if (!waited) await Promise.race([wait.ended, pause(clock, Math.min(WAIT_POLL_MS, remainingMs), signal)]);
    } finally {
      wait.over();
    }
  }
}

/**
 * Returns the job, and the host that is at work on it while it runs. A job is with its device, or its group, until it has been filed,
 * soon after its end.
 */
async function findVisibleJob(
  { devices, groups, jobs }: GetJobParts,
  caller: Caller,
  id: string,
): Promise<{ job: Job; hostId?: string }> {
  const device = await devices.findByJob(caller.accountId, id);
  if (device !== null && isVisible(caller, device)) {
    const job = jobWithDevice(device, id);
    if (job !== undefined) return { job, ...(device.job?.id === id && { hostId: device.hostId }) };
  }
  const filed = await jobs.find(id);
  if (filed !== null && isVisible(caller, { ...filed, name: filed.device, createdBy: filed.deviceCreatedBy })) {
    return { job: jobMessage({ ...filed, id: filed._id }) };
  }
  const group = filed === null ? await groups.findByJob(id) : null;
  if (group !== null && maySeeGroup(caller, group)) {
    return { job: groupJob(group), ...(group.outcome === undefined && { hostId: group.hostId }) };
  }
  throw new ApiError('not_found', `There is no job "${id}" that this key can see. Jobs are kept for 30 days.`);
}

function isVisible(
  caller: Caller,
  device: { accountId: string; name: string; createdBy: string } | undefined,
): boolean {
  return device !== undefined && device.accountId === caller.accountId && maySee(caller, device);
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return clock.sleep(ms, signal).catch(() => undefined);
}
