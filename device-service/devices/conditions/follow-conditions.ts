import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import { CONDITIONS_MS } from '../limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Sets the recorded conditions on each running phone of this host, once at the start of a process. The last process may have ended after
 * it changed a phone and before it recorded that change. A phone that does not accept the recorded conditions keeps its present ones, until
 * its next start or the next change.
 */
export async function followConditions(context: DevicesContext, signal: AbortSignal): Promise<void> {
  const { devices, drivers, hostId, settingConditions, log } = context;
  const running = await devices.ofHost(hostId).find(['running']);
  for (const device of running) {
    if (signal.aborted) return;
    if (drivers.of(device).capabilities().conditions.length === 0) continue;
    await settingConditions
      .run(device._id, () => follow(context, device._id, signal))
      .catch((error: unknown) =>
        log.warn({ phone: device._id, err: error }, 'a phone could not be given its recorded conditions again'),
      );
  }
}

/**
 * Sets the conditions of one device. Changes of the device wait meanwhile, so the conditions that are read here are the recorded ones.
 */
async function follow(
  { devices, drivers, clock }: DevicesContext,
  phoneId: DeviceDocument['_id'],
  signal: AbortSignal,
): Promise<void> {
  const device = await devices.findById(phoneId);
  if (device?.state !== 'running') return;
  await within(hostLimit(clock, CONDITIONS_MS, signal), async (limited) =>
    drivers.of(device).setConditions?.(phoneId, device.conditions ?? {}, { signal: limited }),
  );
}
