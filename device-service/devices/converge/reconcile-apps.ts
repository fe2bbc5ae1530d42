import type { PhoneEndpoint } from '../../../phone/driver.js';
import { running } from '../../record/device-run.js';
import { isCleared } from '../../record/problems.js';
import type { Job } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import type { Decision, Moment, Observation } from './decision.js';

/**
 * Returns the next decision for a new phone that runs and gets apps. First the device is recorded as running, so that it can be used. Then
 * the apps are installed one after the other, and each that is installed is noted.
 *
 * After a crash, the app that was not noted is installed once more, over itself. A phone that was rebooted meanwhile keeps its apps.
 */
export function reconcileApps(
  device: DeviceDocument,
  { apps = [], appsInstalled = 0 }: Job,
  endpoint: PhoneEndpoint,
  { installed = 0 }: Observation,
  { nowMs }: Moment,
): Decision {
  const { state, endpoint: known, startedAt, problem } = device;
  if (state !== 'running' || startedAt === undefined) {
    const cleared = isCleared(problem, 'started') ? { problem: null } : {};
    return { change: { ...running(endpoint, nowMs), made: true, ...cleared } };
  }
  // The phone was rebooted by itself. Connections of the old start do not go on.
  if (known === undefined || !isSame(known, endpoint)) return { change: { endpoint, nextGeneration: true } };
  if (installed > appsInstalled) return { change: { appsInstalled: installed } };
  return appsInstalled < apps.length ? { step: 'install' } : { change: {}, end: 'done' };
}

/** Returns whether both are one start of a phone, at one address. */
export function isSame(known: PhoneEndpoint, found: PhoneEndpoint): boolean {
  const isThere = known.identity === found.identity && known.host === found.host && known.port === found.port;
  return isThere && known.helpers === found.helpers;
}
