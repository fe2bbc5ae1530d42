import type { Clock } from '../../kit/clock.js';
import { ApiError } from '../../kit/errors.js';
import { within } from '../../kit/within.js';
import {
  type OperationOptions,
  type PhoneDriver,
  type PhoneExit,
  PhoneFailure,
  type PhoneSnapshots,
  type PhoneSpec,
  type PhoneStatus,
} from '../../phone/driver.js';
import { STEP_MS } from '../limits.js';
import type { DeviceDocument } from '../store/devices.js';
import { endedIdentity } from './reconcile.js';

export interface StepParts {
  driver: PhoneDriver;
  clock: Clock;
}

/** Makes ready the way out to the internet that a phone is to have, and returns its driver's settings for it. */
export type PrepareExit = (device: DeviceDocument) => Promise<PhoneExit>;

/**
 * Lets the driver do one step, and returns the state of the phone after it. It has a time limit that holds whether the driver obeys its
 * signal or not: a call that hangs must not hold up its job's deadline, nor the end of the process. Its late result is ignored; the
 * next inspection finds its effect.
 */
export async function takeStep(
  parts: StepParts & { prepareExit: PrepareExit },
  step: 'create' | 'clone' | 'restore' | 'start' | 'stop' | 'delete',
  device: DeviceDocument,
  options: { signal: AbortSignal; onProgress: (percent: number) => void; mostMs: number },
): Promise<PhoneStatus> {
  const { _id: phoneId } = device;
  return withLimit(
    parts.clock,
    Math.min(STEP_MS[step], options.mostMs),
    options.signal,
    async (signal): Promise<PhoneStatus> => {
      const operation: OperationOptions = { signal, onProgress: options.onProgress };
      switch (step) {
        case 'create':
          await parts.driver.create(specOf(device, await parts.prepareExit(device)), operation);
          return { state: 'stopped' };
        case 'clone':
          await snapshotsOf(parts.driver).clone(
            device.job?.snapshot ?? '',
            specOf(device, await parts.prepareExit(device)),
            operation,
          );
          return { state: 'stopped' };
        case 'restore':
          await snapshotsOf(parts.driver).restore(phoneId, device.job?.snapshot ?? '', operation);
          return { state: 'stopped' };
        case 'start': {
          const ended = endedIdentity(device);
          const exit = await parts.prepareExit(device);
          // Its exit, or the place of the data folder, may be others since it was made or ran last.
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
    },
  );
}

/** The snapshots of a driver; throws where it keeps none. */
export function snapshotsOf(driver: PhoneDriver): PhoneSnapshots {
  if (driver.snapshots === undefined) throw new PhoneFailure('Phones of this kind keep no snapshots.');
  return driver.snapshots;
}

/** Returns the phone's state from its driver, with the same limits. */
export function inspectPhone({ driver, clock }: StepParts, phoneId: string, outer: AbortSignal): Promise<PhoneStatus> {
  return withLimit(clock, STEP_MS.inspect, outer, (signal) => driver.inspect(phoneId, signal));
}

/** Runs `work` until it ends, `limitMs` have passed (ApiError `timeout`), or `outer` aborts; its late result is ignored. */
export function withLimit<T>(
  clock: Clock,
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const onTimeout = (): Error => new ApiError('timeout', `The phone's host did not finish within ${limitMs / 1000} s.`);
  return within({ clock, timeoutMs: limitMs, signals: [outer], onTimeout }, work);
}

function specOf({ _id, name, model, android, slot }: DeviceDocument, exit: PhoneExit): PhoneSpec {
  return { phoneId: _id, name, model, android, exit, ...(slot !== undefined && { slot }) };
}
