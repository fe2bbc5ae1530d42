import pLimit from 'p-limit';
import { MAX_CANDIDATES } from '../limits.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { FleetContext } from '../fleet-context.js';
import { removePhone } from './remove-phone.js';

/** New phones that are checked at a time. */
const CHECKS_AT_ONCE = 8;

/**
 * Gives the new phones of pools on this host free for leases: those whose making job is done, with all apps installed, and that a health
 * check finds well. A phone whose job failed is noted as unfit, and its pool deletes it. A check that finds a fault is made again in the next
 * round; the pool loses its patience with such a phone after a while.
 *
 * A phone whose pool is gone is deleted. A process that stood still while it made the phone can have made it after the pool was forgotten.
 */
export async function markReady(context: FleetContext): Promise<void> {
  const { devices, hostId, log } = context;
  const checked = pLimit(CHECKS_AT_ONCE);
  const unready = await devices.pools.findUnready(hostId, MAX_CANDIDATES);
  await Promise.all(
    unready.map((device) =>
      checked(async () => {
        try {
          await judge(context, device);
        } catch (error) {
          log.warn({ device: device.name, err: error }, 'could not check a new phone of a pool; trying again');
        }
      }),
    ),
  );
}

async function judge(context: FleetContext, device: DeviceDocument): Promise<void> {
  const { devices, pools, checkPhone, clock, deviceNews } = context;
  const { endpoint, exit, _id: phoneId, pool } = device;
  if (endpoint === undefined || pool === undefined) return;
  const outcome = await outcomeOf(context, device, pool.jobId);
  // The job is on its way from the device to the list of jobs.
  if (outcome === undefined) return;
  if ((await pools.find(pool.id)) === null) return removePhone(context, null, device);
  if (outcome.state === 'failed') {
    await devices.pools.markUnfit(device, outcome.error?.message ?? 'Its job failed.');
    return;
  }
  const isWell = (await checkPhone({ phoneId, endpoint, exit })) === undefined;
  const now = new Date(clock.now());
  if (!isWell) await devices.pools.markFailing(device, now);
  else if (await devices.pools.markReady(device, now)) deviceNews.wake(device.accountId);
}

async function outcomeOf(
  { jobs }: FleetContext,
  { finished = [] }: DeviceDocument,
  jobId: string,
): Promise<Job['outcome']> {
  const withDevice = finished.find(({ id }) => id === jobId)?.outcome;
  return withDevice ?? (await jobs.find(jobId))?.outcome;
}
