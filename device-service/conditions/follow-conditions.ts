import type { Clock } from '../../kit/clock.js';
import type { Log } from '../../kit/log.js';
import { withLimit } from '../converge/take-step.js';
import { CONDITIONS_MS } from '../limits.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { DeviceDocument, DeviceStore } from '../store/devices.js';
import type { KeyedLock } from '../../kit/keyed-lock.js';

export interface FollowConditionsParts {
  devices: DeviceStore;
  drivers: PhoneDrivers;
  hostId: string;
  settingConditions: KeyedLock;
  clock: Clock;
  log: Log;
}

/**
 * Has each running phone of this host see the conditions that are recorded in its device, once at the start of a process: the last one may have
 * ended between a phone and its record. A phone that does not take them keeps what it has, until its next start or the next change.
 */
export async function followConditions(parts: FollowConditionsParts, signal: AbortSignal): Promise<void> {
  const { devices, drivers, hostId, settingConditions, log } = parts;
  const running = await devices.ofHost(hostId).find(['running']);
  for (const device of running) {
    if (signal.aborted) return;
    if (drivers.of(device).capabilities().conditions.length === 0) continue;
    await settingConditions
      .run(device._id, () => follow(parts, device._id, signal))
      .catch((error: unknown) =>
        log.warn({ phone: device._id, err: error }, 'a phone could not be given its recorded conditions again'),
      );
  }
}

/** Changes of the device wait meanwhile, so what is read here is what is recorded. */
async function follow(
  { devices, drivers, clock }: FollowConditionsParts,
  phoneId: DeviceDocument['_id'],
  signal: AbortSignal,
): Promise<void> {
  const device = await devices.findById(phoneId);
  if (device?.state !== 'running') return;
  await withLimit(clock, CONDITIONS_MS, signal, async (limited) =>
    drivers.of(device).setConditions?.(phoneId, device.conditions ?? {}, { signal: limited }),
  );
}
