import { acceptJob, type JobParts } from '../jobs/accept-job.js';
import type { DeviceDocument } from '../store/devices.js';
import { type SettleRun, stopped } from '../work/works.js';

/** Starts a phone again that the database says is running and that is not, with its run counted up to `endMs`. */
export async function bringBack(
  parts: JobParts & { settle: SettleRun },
  device: DeviceDocument,
  endMs: number,
): Promise<void> {
  await parts.settle(device, endMs);
  await acceptJob(parts, device, { kind: 'start' }, { from: ['running'], change: stopped(device, endMs) });
}
