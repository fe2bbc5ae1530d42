import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import { JOB_KEPT_DAYS, type JobDocument, type JobStore } from '../store/jobs.js';

const DAY_MS = 86_400_000;

/**
 * Moves a finished job from its device's document into the jobs collection. A crash before the first write leaves it with the
 * device, where it is found and filed later; a crash between the two leaves it in both places, which readers take as one.
 */
export async function fileJob(stores: { devices: DeviceStore; jobs: JobStore }, device: DeviceDocument): Promise<void> {
  const { job } = device;
  if (job?.outcome === undefined) return;
  await stores.jobs.file(toJobDocument(device, job, job.outcome));
  await stores.devices.forgetJob(device, job.id);
}

function toJobDocument(
  device: DeviceDocument,
  job: NonNullable<DeviceDocument['job']>,
  outcome: JobDocument['outcome'],
): JobDocument {
  return {
    _id: job.id,
    accountId: device.accountId,
    phoneId: device._id,
    device: device.name,
    deviceCreatedBy: device.createdBy,
    kind: job.kind,
    createdAt: job.createdAt,
    progress: job.progress,
    outcome,
    expiresAt: new Date(outcome.finishedAt.getTime() + JOB_KEPT_DAYS * DAY_MS),
  };
}
