import { ApiError } from '../../../kit/errors/api-error.js';
import { tooLow } from '../../accounts/billing/charges.js';
import { problemSince, withDeviceEvents } from '../../record/problems.js';
import type { DevicesContext } from '../devices-context.js';
import { acceptJob } from '../jobs/accept-job.js';
import type { Meter, Unpaid } from './meter.js';

/**
 * Charges what is due, and stops the devices that could not pay. Stopped devices keep their state. A device that is busy with a job is not
 * stopped now; a later round finds it again. After a crash in between, the next round finds the same devices unpaid.
 */
export async function chargeAndStop(context: DevicesContext, meter: Meter): Promise<void> {
  for (const unpaid of await meter.charge()) await stop(context, unpaid);
}

async function stop(context: DevicesContext, { device, standing }: Unpaid): Promise<void> {
  const { prices, clock, log } = context;
  const message = `${tooLow(standing, device.plan, prices)} The device was stopped and keeps its state.`;
  const problem = problemSince({ kind: 'balance', message }, clock.now());
  try {
    const change = withDeviceEvents(device, { problem }, clock.now());
    await acceptJob(context, device, { kind: 'stop' }, change);
    log.info({ device: device.name, account: device.accountId }, 'stopping a device whose balance is used up');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
