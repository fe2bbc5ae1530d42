import { cutPage, pageOf } from '../../kit/page.js';
import { wordOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Job, JobStateSchema } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import type { ListJobsRequest } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { maySeeGroup } from '../groups/get-group.js';
import { groupJob } from '../groups/group-message.js';
import { findVisibleDevice, maySee, seenBy } from '../access/visibility.js';
import type { DeviceStore } from '../store/devices.js';
import type { GroupStore } from '../store/groups.js';
import type { JobStore } from '../store/jobs.js';
import { jobMessage, jobOf } from './job-message.js';

/**
 * Jobs of the devices and groups that the caller may see, newest first: those still with their device or group and those filed, as one
 * list.
 */
export async function listJobs(
  { devices, groups, jobs }: { devices: DeviceStore; groups: GroupStore; jobs: JobStore },
  caller: Caller,
  request: ListJobsRequest,
): Promise<{ items: Job[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  // A device that is named follows the same rule here as everywhere; one that is gone has its jobs in the list of all.
  const { device } = request;
  if (device !== undefined) await findVisibleDevice(devices, caller, device);
  const state =
    request.state === undefined ? undefined : (wordOf(JobStateSchema, request.state) as 'running' | 'done' | 'failed');
  const query = { accountId: caller.accountId, limit: limit + 1, seen: seenBy(caller), device };
  // In this order, which is the way a job goes, so that none is missed that moves on meanwhile; one that was read twice is one job.
  const atWork =
    state === undefined || state === 'running' ? await devices.listAtWork({ ...query, beforeJobId: after }) : [];
  const unfiled = state === 'running' ? [] : await devices.findUnfiled(caller.accountId);
  const open = device === undefined ? await groups.listOpen(caller.accountId) : [];
  const filed = state === 'running' ? [] : await jobs.list({ ...query, state, beforeId: after });
  const found = [
    ...atWork.flatMap((one) => jobOf(one) ?? []),
    ...[
      ...open.filter((group) => maySeeGroup(caller, group)).map(groupJob),
      ...unfiled
        .filter((one) => maySee(caller, one) && (device ?? one.name) === one.name)
        .flatMap(({ name, finished = [] }) => finished.map((job) => jobMessage({ ...job, device: name }))),
    ].filter((job) => (request.state ?? job.state) === job.state && (after === undefined || job.id < after)),
    ...filed.map((job) => jobMessage({ ...job, id: job._id })),
  ];
  const byId = new Map(found.map((job) => [job.id, job]));
  const newestFirst = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  return cutPage(newestFirst, limit, ({ id }) => id);
}
