import type { ListAllJobsRequest } from '../../proto/gen/cloudphone/access/v1/admin_service_pb.js';
import { type Job, JobState } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import { DEFAULT_PAGE_ITEMS } from '../record/limits.js';
import { groupJob } from '../fleet/groups/group-message.js';
import { jobMessage } from '../record/job-message.js';
import type { FleetContext } from '../fleet/fleet-context.js';

/**
 * Returns the jobs of all accounts, newest first, for the operator. Groups and devices are read before filed jobs, so that no
 * job is missed that is filed meanwhile; see list-jobs.ts.
 */
export async function listAllJobs(
  { devices, groups, jobs }: FleetContext,
  { state, limit = DEFAULT_PAGE_ITEMS }: ListAllJobsRequest,
): Promise<{ accountId: string; job: Job }[]> {
  const open = await groups.listOpen();
  const withDevices = await devices.listAllWithJobs();
  const filed =
    state === JobState.RUNNING
      ? []
      : await jobs.listAll(limit, state === JobState.FAILED ? 'failed' : state === JobState.DONE ? 'done' : undefined);
  const found = [
    ...withDevices.flatMap(({ accountId, name, job, finished = [] }) =>
      [...finished, ...(job === undefined ? [] : [job])].map((one) => ({
        accountId,
        job: jobMessage({ ...one, device: name }),
      })),
    ),
    ...open.map((group) => ({ accountId: group.accountId, job: groupJob(group) })),
    ...filed.map((one) => ({ accountId: one.accountId, job: jobMessage({ ...one, id: one._id }) })),
  ].filter(({ job }) => (state ?? job.state) === job.state);
  const byId = new Map(found.map((one) => [one.job.id, one]));
  return [...byId.values()].sort((a, b) => (a.job.id < b.job.id ? 1 : -1)).slice(0, limit);
}
