import { cutPage, pageOf } from '../../../kit/call/page.js';
import { wordOf } from '../../../kit/text/wire-words.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Job, JobStateSchema } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import type { ListJobsRequest } from '../../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { maySeeGroup } from '../groups/visible-groups.js';
import { groupJob } from '../groups/group-message.js';
import { maySee, seesByLabel } from '../../../kit/rpc/may-see.js';
import { findVisibleDevice, seenBy } from '../../accounts/callers/visibility.js';
import { jobMessage, jobOf } from '../../record/job-message.js';
import type { FleetContext } from '../fleet-context.js';

/**
 * Returns the jobs of the devices and groups that the caller may see, newest first. The list holds filed jobs, and jobs that are still
 * stored with their device or group.
 */
export async function listJobs(
  { devices, groups, jobs }: FleetContext,
  caller: Caller,
  request: ListJobsRequest,
): Promise<{ items: Job[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  // A device that is named follows the same rule here as in other requests. The jobs of a deleted device are in the list of all jobs.
  const { device } = request;
  if (device !== undefined) await findVisibleDevice(devices, caller, device);
  const state =
    request.state === undefined ? undefined : (wordOf(JobStateSchema, request.state) as 'running' | 'done' | 'failed');
  const query = { accountId: caller.accountId, limit: limit + 1, seen: seenBy(caller), device };
  // The reads follow the order in which a job moves, so that a job that moves during the reads is not missed. A job that was read twice is
  // listed once.
  const atWork =
    state === undefined || state === 'running' ? await devices.listAtWork({ ...query, beforeJobId: after }) : [];
  const unfiled = state === 'running' ? [] : await devices.findUnfiled(caller.accountId);
  const open = device === undefined ? await groups.listOpen(caller.accountId) : [];
  const phoneIds = seesByLabel(caller)
    ? (await devices.listSeen(caller.accountId, query.seen, MAX_PHONES_BY_LABEL)).map(({ _id }) => _id)
    : undefined;
  const filed =
    state === 'running' ? [] : await jobs.list({ ...query, state, beforeId: after, ...(phoneIds && { phoneIds }) });
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

/** Most devices whose filed jobs a caller sees by a label. It is above the devices that accounts have, and bounds the query. */
const MAX_PHONES_BY_LABEL = 10_000;
