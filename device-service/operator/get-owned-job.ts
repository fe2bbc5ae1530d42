import { ApiError } from '../../kit/errors/api-error.js';
import type { Job } from '../../proto/gen/cloudphone/device/v1/job_pb.js';
import type { FleetContext } from '../fleet/fleet-context.js';
import { jobMessage, jobWithDevice } from '../record/job-message.js';

/** Returns a job of a device of the account, and the step of an upgrade that is under way. Throws not_found. */
export async function getOwnedJob(
  { devices, jobs }: FleetContext,
  accountId: string,
  id: string,
): Promise<{ job: Job; step?: string }> {
  // The reads are in the order in which a job moves.
  const device = await devices.findByJob(accountId, id);
  const job = device === null ? undefined : jobWithDevice(device, id);
  const step = device?.job?.id === id ? device.job.upgrade?.step : undefined;
  if (job !== undefined) return { job, ...(step !== undefined && { step }) };
  const filed = await jobs.find(id);
  if (filed?.accountId === accountId) return { job: jobMessage({ ...filed, id: filed._id }) };
  throw new ApiError('not_found', `The account has no job "${id}". Jobs are kept for 30 days.`);
}
