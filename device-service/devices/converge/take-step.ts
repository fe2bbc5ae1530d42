import type { Clock } from '../../../kit/async/clock.js';
import type {
  OperationOptions,
  PhoneDriver,
  PhoneExit,
  PhoneSpec,
  PhoneStatus,
  RestoreOptions,
} from '../../../phone/driver.js';
import { STEP_MS } from '../limits.js';
import type { PrepareExit } from '../network/network-context.js';
import { snapshotsOf } from '../phones/phone-drivers.js';
import { hostLimit } from '../phones/host-limit.js';
import { within } from '../../../kit/async/within.js';
import type { DeviceDocument } from '../../store/devices.js';
import { endedIdentity } from './reconcile.js';

/**
 * Lets the driver do one step, and returns the state of the phone after it. The time limit holds whether or not the driver obeys its
 * signal. A call that hangs must not hold up its job's deadline, nor the end of the process. A late result is ignored; the next
 * inspection finds its effect.
 */
export async function takeStep(
  parts: { driver: PhoneDriver; clock: Clock; prepareExit: PrepareExit },
  step: 'create' | 'clone' | 'restore' | 'start' | 'stop' | 'delete',
  device: DeviceDocument,
  options: { signal: AbortSignal; onProgress: (percent: number) => void; maxMs: number },
): Promise<PhoneStatus> {
  const { _id: phoneId } = device;
  const timeoutMs = Math.min(STEP_MS[step], options.maxMs);
  return within(hostLimit(parts.clock, timeoutMs, options.signal), async (signal): Promise<PhoneStatus> => {
    const operation: OperationOptions = { signal, onProgress: options.onProgress };
    switch (step) {
      case 'create':
        await parts.driver.create(specOf(device, await parts.prepareExit(device)), operation);
        return { state: 'stopped' };
      case 'clone':
        await snapshotsOf(parts.driver).clone(
          device.job?.template ?? device.job?.snapshot ?? '',
          specOf(device, await parts.prepareExit(device)),
          operation,
        );
        return { state: 'stopped' };
      case 'restore': {
        const { template, snapshot = '' } = device.job ?? {};
        // A template has the identity of the phone that it was made of, which many phones are restored to.
        const restored: RestoreOptions = { ...operation, forgetIdentity: template !== undefined };
        await snapshotsOf(parts.driver).restore(phoneId, template ?? snapshot, restored);
        return { state: 'stopped' };
      }
      case 'start': {
        const ended = endedIdentity(device);
        const exit = await parts.prepareExit(device);
        // The exit, or the place of the data folder, may have changed since the phone was made or last ran.
        if (parts.driver.capabilities().exit) await parts.driver.setExit?.(phoneId, exit, { signal });
        if (parts.driver.capabilities().conditions.length > 0)
          await parts.driver.setConditions?.(phoneId, device.conditions ?? {}, { signal });
        const endpoint = await parts.driver.start(phoneId, {
          ...operation,
          ...(ended !== undefined && { endedIdentity: ended }),
        });
        return { state: 'running', endpoint };
      }
      case 'stop':
        await parts.driver.stop(phoneId, 'save', operation);
        return { state: 'stopped' };
      case 'delete':
        await parts.driver.delete(phoneId, operation);
        return { state: 'absent' };
    }
  });
}

/** Returns the phone's state from its driver. The time limit of an inspection holds even if the driver ignores its signal. */
export function inspectPhone(
  { driver, clock }: { driver: PhoneDriver; clock: Clock },
  phoneId: string,
  outer: AbortSignal,
): Promise<PhoneStatus> {
  return within(hostLimit(clock, STEP_MS.inspect, outer), (signal) => driver.inspect(phoneId, signal));
}

function specOf({ _id, name, model, android, slot }: DeviceDocument, exit: PhoneExit): PhoneSpec {
  return { phoneId: _id, name, model, android, exit, ...(slot !== undefined && { slot }) };
}
