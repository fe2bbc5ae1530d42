import type { Call } from '../../../kit/call/call.js';
import type { Caller } from '../../../proto/gen/cloudphone/access/v1/access_service_pb.js';
import { type Job, JobState } from '../../../proto/gen/cloudphone/device/v1/job_pb.js';
import { findVisibleDevice, noSuchDevice } from '../../accounts/callers/visibility.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { GroupDevice } from '../../store/groups.js';
import type { FleetContext } from '../fleet-context.js';
import { getJob } from '../jobs/get-job.js';
import { onceAvailable } from './once-available.js';

/** The device of a step, and the call that does the step. The caller of that call has the present rights of the group's maker. */
export interface StepContext {
  call: Call & { caller: Caller };
  device: Pick<GroupDevice, 'name' | 'phoneId'>;
}

/** How long one request for a job waits for its end, ms. */
const WAIT_MS = 30_000;

/**
 * Returns the device, once a start that the service itself began has ended. After a restart of the service, all phones of a host may be
 * lost and started in this way. If the phone stays off, the step reports that.
 */
export async function findGroupDevice(parts: FleetContext, context: StepContext): Promise<DeviceDocument> {
  const { call, device } = context;
  for (;;) {
    const found = await onceAvailable(parts.clock, call.signal, () =>
      findVisibleDevice(parts.devices, call.caller, device.name),
    );
    if (found._id !== device.phoneId) throw noSuchDevice(device.name);
    const { job } = found;
    if (job?.kind !== 'start' || job.requestedBy !== undefined) return found;
    await endedJob(parts, context, job.id);
  }
}

/** Waits for the end of a job of the device, through outages of the database too. */
export async function endedJob(
  parts: FleetContext,
  { call: { caller, signal } }: StepContext,
  jobId: string,
): Promise<Job> {
  for (;;) {
    const job = await onceAvailable(parts.clock, signal, () => getJob(parts, caller, jobId, WAIT_MS, signal));
    if (job.state !== JobState.RUNNING) return job;
  }
}
