import { ApiError } from '../../../kit/errors/api-error.js';
import type { PhoneConditions } from '../../../phone/conditions.js';
import { PhoneFailure } from '../../../phone/driver.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import { CONDITIONS_MS } from '../limits.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { DevicesContext } from '../devices-context.js';

/**
 * Sets the conditions `wanted` on the running phone of a device. If that fails, the recorded conditions are set again, as far as that is
 * possible.
 */
export async function setConditions(
  { drivers, clock, log }: DevicesContext,
  device: DeviceDocument,
  wanted: PhoneConditions,
  signal: AbortSignal,
): Promise<void> {
  const { _id: phoneId, conditions = {} } = device;
  const driver = drivers.of(device);
  const set = (to: PhoneConditions, outer: AbortSignal): Promise<void> =>
    within(hostLimit(clock, CONDITIONS_MS, outer), async (limited) =>
      driver.setConditions?.(phoneId, to, { signal: limited }),
    );
  try {
    await set(wanted, signal);
  } catch (error) {
    // Some of the wanted conditions may be set by now. So the recorded ones are set again, even when the caller has gone.
    await set(conditions, new AbortController().signal).catch((cause: unknown) =>
      log.warn({ phone: phoneId, err: cause }, 'a phone could not be given its recorded conditions again'),
    );
    if (!(error instanceof PhoneFailure)) throw error;
    const message = `${error.message} The device "${device.name}" keeps the conditions it had.`;
    throw new ApiError('unavailable', message, { cause: error });
  }
}
