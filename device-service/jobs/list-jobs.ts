import { wordOf } from '../../kit/wire-words.js';
import type { Caller } from '../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Job, JobStateSchema } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import type { ListJobsRequest } from '../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { seenBy } from '../access/visibility.js';
import { cutPage, pageOf } from '../lists/page.js';
import type { DeviceStore } from '../store/devices.js';
import type { JobStore } from '../store/jobs.js';
import { jobMessage, jobOf } from './job-message.js';

/** Jobs of the devices that the caller may see, newest first: those still with their device and those filed, as one list. */
export async function listJobs(
  { devices, jobs }: { devices: DeviceStore; jobs: JobStore },
  caller: Caller,
  request: ListJobsRequest,
): Promise<{ items: Job[]; nextCursor?: string }> {
  const { limit, after } = pageOf(request);
  const state =
    request.state === undefined ? undefined : (wordOf(JobStateSchema, request.state) as 'running' | 'done' | 'failed');
  const seen = seenBy(caller);
  const query = {
    accountId: caller.accountId,
    limit: limit + 1,
    ...(seen !== undefined && { seen }),
    ...(request.device !== undefined && { device: request.device }),
  };
  const [current, filed] = await Promise.all([
    devices.listWithJobs({
      ...query,
      ...(state !== undefined && { state }),
      ...(after !== undefined && { beforeJobId: after }),
    }),
    state === 'running'
      ? []
      : jobs.list({ ...query, ...(state !== undefined && { state }), ...(after !== undefined && { beforeId: after }) }),
  ]);
  // A job that was being filed while we read may be in both; it is the same job.
  const byId = new Map<string, Job>();
  for (const job of filed) byId.set(job._id, jobMessage({ ...job, id: job._id }));
  for (const device of current) {
    const job = jobOf(device);
    if (job !== undefined && !byId.has(job.id)) byId.set(job.id, job);
  }
  const newestFirst = [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
  return cutPage(newestFirst, limit, ({ id }) => id);
}
