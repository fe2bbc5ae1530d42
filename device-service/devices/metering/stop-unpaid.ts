import { ApiError } from '../../../kit/errors/api-error.js';
import { tooLow } from '../../accounts/billing/charges.js';
import type { JobEndSubscriber } from '../../record/ended-job.js';
import { problemSince, withDeviceEvents } from '../../record/problems.js';
import type { DevicesContext } from '../devices-context.js';
import { acceptJob } from '../jobs/accept-job.js';
import type { Meter, Unpaid } from './meter.js';

/**
 * Charges what is due, and stops the devices that could not pay. Stopped devices keep their state. A device that is busy with a job is not
 * stopped now, but when the job ends (`stopAfterJob`). After a crash in between, the next round finds the same devices unpaid.
 */
export async function chargeAndStop(context: DevicesContext, meter: Meter): Promise<void> {
  const { unpaid, failures } = await meter.charge();
  for (const one of unpaid) await stop(context, one);
  if (failures.length > 0)
    throw new AggregateError(failures, `charges of ${failures.length} accounts or phones failed`);
}

/**
 * Charges again, and stops what cannot pay, as soon as the job that was at work on an unpaid phone has ended. Else a caller that sends one job
 * after the other would keep it running for nothing. `contextOf` returns what is opened later.
 */
export function stopAfterJob(contextOf: () => DevicesContext, meter: Meter): JobEndSubscriber {
  return {
    name: 'stop a device whose balance is used up',
    jobEnded: async ({ device: { _id: phoneId } }) => {
      if (!meter.isUnpaid(phoneId)) return;
      const context = contextOf();
      // The meter's next round is as good for a phone that is off.
      if ((await context.devices.findById(phoneId))?.state === 'running') await chargeAndStop(context, meter);
    },
  };
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
