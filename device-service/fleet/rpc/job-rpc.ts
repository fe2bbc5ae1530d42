import type { ServiceImpl } from '@connectrpc/connect';
import { callerOf, callOf } from '../../../kit/rpc/context.js';
import type { JobService } from '../../../proto/gen/cloudphone/device/v1/job_service_pb.js';
import { getJob } from '../jobs/get-job.js';
import { listJobs } from '../jobs/list-jobs.js';
import type { FleetContext } from '../fleet-context.js';

/** Adapts the operations of jobs to their rpcs. */
export function jobRpc(parts: FleetContext): ServiceImpl<typeof JobService> {
  return {
    getJob: async ({ id, waitS = 0 }, context) => ({
      job: await getJob(parts, callerOf(context), id, waitS * 1000, callOf(context).signal),
    }),
    listJobs: async (request, context) => {
      const { items, ...page } = await listJobs(parts, callerOf(context), request);
      return { jobs: items, ...page };
    },
  };
}
