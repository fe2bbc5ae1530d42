import type { EndedJob, JobEndSubscriber } from '../../record/ended-job.js';
import type { DeviceDocument, DeviceStore } from '../../store/devices.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { NetworkContext, PrepareExit } from './network-context.js';

/**
 * Completes the changes of exits when a job ends:
 *
 * - It closes the forwarder of a phone that is gone.
 * - It puts the earlier exit back where a change of it failed.
 * - It notes the address of an exit that a phone begins to use.
 *
 * A crash may prevent that. The forwarder is gone with the process. The phone keeps the time zone of the failed exit until its next
 * start. The address is noted at the end of the device's next start.
 */
export function followExit(
  { exits, forwarders, pages, see }: NetworkContext,
  { devices, drivers, prepareExit }: { devices: DeviceStore; drivers: PhoneDrivers; prepareExit: PrepareExit },
): JobEndSubscriber {
  const learnAddress = async ({ _id }: DeviceDocument): Promise<void> => {
    const device = await devices.findById(_id);
    if (device?.endpoint === undefined || !lacksAddress(device.exit)) return;
    const page = await pages.pageFor(exits.upstreamOf(_id, device.exit));
    const { signal } = new AbortController();
    const view = page.showsAddress ? await see(device.endpoint, page, signal) : undefined;
    if (view === undefined || 'fault' in view || view.seen === undefined) return;
    await devices.noteAddress(device, view.seen.address);
  };
  return {
    name: 'follow up an exit',
    jobEnded: async ({ device, job, change }: EndedJob) => {
      if (change.gone === true) await forwarders.close(device._id);
      else if ((job.kind === 'network' || job.kind === 'rotate') && job.outcome?.state === 'failed') {
        await drivers.of(device).setExit?.(device._id, await prepareExit(device));
      } else if (change.state === 'running' && lacksAddress(change.exit ?? device.exit)) await learnAddress(device);
    },
  };
}

function lacksAddress({ type, source, address }: DeviceDocument['exit']): boolean {
  return (source !== undefined || type === 'custom') && address === undefined;
}
