import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import type { Log } from '../../kit/log.js';
import type { PhoneConditions } from '../../phone/conditions.js';
import { PhoneFailure } from '../../phone/driver.js';
import { withLimit } from '../converge/take-step.js';
import { CONDITIONS_MS } from '../limits.js';
import type { PhoneDrivers } from '../phones/phone-drivers.js';
import type { DeviceDocument } from '../store/devices.js';

export interface SetConditionsParts {
  drivers: PhoneDrivers;
  clock: Clock;
  log: Log;
}

/** Has the running phone of a device see `wanted`. Where that fails, it is given its recorded conditions again, as far as that is possible. */
export async function setConditions(
  { drivers, clock, log }: SetConditionsParts,
  device: DeviceDocument,
  wanted: PhoneConditions,
  signal: AbortSignal,
): Promise<void> {
  const { _id: phoneId, conditions = {} } = device;
  const driver = drivers.of(device);
  const set = (to: PhoneConditions, outer: AbortSignal): Promise<void> =>
    withLimit(clock, CONDITIONS_MS, outer, async (limited) => driver.setConditions?.(phoneId, to, { signal: limited }));
  try {
    await set(wanted, signal);
  } catch (error) {
    // Also where the caller has gone: a part of them may be set.
    await set(conditions, new AbortController().signal).catch((cause: unknown) =>
      log.warn({ phone: phoneId, err: cause }, 'a phone could not be given its recorded conditions again'),
    );
    if (!(error instanceof PhoneFailure)) throw error;
    const message = `${error.message} The device "${device.name}" keeps the conditions it had.`;
    throw new ApiError('unavailable', message, { cause: error });
  }
}
