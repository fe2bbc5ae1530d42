import type { Clock } from '../../../kit/async/clock.js';
import { ApiError } from '../../../kit/errors/api-error.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import type { Job } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import { groupJob } from '../groups/group-message.js';
import { maySeeGroup } from '../groups/visible-groups.js';
import { maySee, type SeenDevice, seesByLabel } from '../../../kit/rpc/may-see.js';
import { WAIT_POLL_MS } from '../limits.js';
import { jobMessage, jobWithDevice } from '../../record/job-message.js';
import type { DeviceStore } from '../../store/devices.js';
import type { JobDocument } from '../../store/jobs.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Returns one job. With a wait, it returns when the job or the wait has ended, the caller hangs up, or this process is about to end.
 * The process of the host that does the job notices its end. This process is notified directly, and by an rpc when another host does the
 * job. If the rpc fails, the job is read again every second.
 */
export async function getJob(
  context: FleetContext,
  caller: Caller,
  id: string,
  waitMs: number,
  signal: AbortSignal,
): Promise<Job> {
  const { jobWaits, clock, dispatch } = context;
  const deadlineMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const remainingMs = deadlineMs - clock.monotonicMs();
    if (remainingMs <= 0 || signal.aborted || jobWaits.closed) return (await findVisibleJob(context, caller, id)).job;
    // The wait begins before the job is read, so an end that comes in between is noticed.
    const wait = jobWaits.begin(id, remainingMs, signal);
    try {
      // A job that this process is doing need not be read, as its end contains it. Its device's labels may have changed since it began.
      if (!seesByLabel(caller) && isVisible(caller, dispatch.deviceOf(id))) {
        const ended = await wait.ended;
        if (ended !== undefined) return jobMessage({ ...ended, id });
        continue;
      }
      const { job, hostId } = await findVisibleJob(context, caller, id);
      if (hostId === undefined) return job;
      const waited = await dispatch.waitForJob(hostId, id, remainingMs, signal);
      if (!waited) await Promise.race([wait.ended, pause(clock, Math.min(WAIT_POLL_MS, remainingMs), signal)]);
    } finally {
      wait.over();
    }
  }
}

/**
 * Returns the job, and the host that is at work on it while it runs. A job is with its device, or its group, until it is filed soon after
 * its end.
 */
async function findVisibleJob(
  { devices, groups, jobs }: FleetContext,
  caller: Caller,
  id: string,
): Promise<{ job: Job; hostId?: string }> {
  const device = await devices.findByJob(caller.accountId, id);
  if (device !== null && isVisible(caller, device)) {
    const job = jobWithDevice(device, id);
    if (job !== undefined) return { job, ...(device.job?.id === id && { hostId: device.hostId }) };
  }
  const filed = await jobs.find(id);
  if (filed !== null && isVisible(caller, await filedDevice(devices, caller, filed))) {
    return { job: jobMessage({ ...filed, id: filed._id }) };
  }
  const group = filed === null ? await groups.findByJob(id) : null;
  if (group !== null && maySeeGroup(caller, group)) {
    return { job: groupJob(group), ...(group.outcome === undefined && { hostId: group.hostId }) };
  }
  throw new ApiError('not_found', `There is no job "${id}" that this key can see. Jobs are kept for 30 days.`);
}

/** Returns the device of a filed job, with the labels that it has now, or had when it was removed. */
async function filedDevice(devices: DeviceStore, caller: Caller, filed: JobDocument) {
  const { accountId, phoneId, device: name, deviceCreatedBy: createdBy, deviceLabels } = filed;
  const needsLabels = seesByLabel(caller) && filed.deviceGone !== true;
  const now = needsLabels ? await devices.findById(phoneId) : null;
  const labels = needsLabels ? now?.labels : deviceLabels;
  return { accountId, name, createdBy, ...(labels !== undefined && { labels }) };
}

function isVisible(caller: Caller, device: (SeenDevice & { accountId: string }) | undefined): boolean {
  return device !== undefined && device.accountId === caller.accountId && maySee(caller, device);
}

function pause(clock: Clock, ms: number, signal: AbortSignal): Promise<void> {
  return clock.sleep(ms, signal).catch(() => undefined);
}
