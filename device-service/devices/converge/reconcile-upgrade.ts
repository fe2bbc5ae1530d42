import { JobFailure } from '../jobs/job-failure.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { JobUpgrade } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { dataLost, type Decision, done, endRun, failedBy, type Moment, type Observation } from './decision.js';
import { turnedBack } from '../upgrades/turn-back.js';

/**
 * Returns the next decision for a phone that gets the present image of its model (ADR 91). The step that comes next is in the job, so the
 * next process goes on with it after a crash, and every step may be repeated:
 *
 * 1. `fetch`: the image is fetched, while the phone stays as it is. If the phone has it already, the job ends.
 * 2. `survey`: the facts of the phone are read while it runs. A phone that is off is started for that, and is not charged.
 * 3. `stop`: the job is announced now, and the phone is off from here on. Its run is charged up to the announcement.
 * 4. `copy`: its data and its description are copied beside it.
 * 5. `image`: it gets the image, in one step.
 * 6. `boot`, `check`: it is started, and its facts are compared. Then one update gives the device its Android version.
 * 7. `drop`: the copy is removed. From here on there is no way back.
 * 8. `end`: the device runs, or is off, as before.
 *
 * A failure in 4 to 6 leads to `back`: the copy is put back (turn-back.ts). A failure in 1 to 3 leads to `end`.
 */
export function reconcileUpgrade(
  device: DeviceDocument,
  upgrade: JobUpgrade,
  observed: Observation,
  at: Moment,
): Decision {
  const { after, upgraded = {} } = observed;
  if (observed.state === 'absent') return failedBy(device, dataLost(device), observed, at);
  if (observed.state === 'broken' && upgrade.step !== 'back') {
    const turned = turnedBack(upgrade, { error: 'unavailable', message: observed.problem });
    if (turned?.step === 'back') return next(turned);
    return failedBy(device, { kind: 'broken', message: observed.problem }, observed, at);
  }
  switch (upgrade.step) {
    case 'fetch':
      if (after !== 'fetch') return { step: 'fetch' };
      return next({ step: upgraded.isOther === true ? 'survey' : 'end' });
    case 'survey':
      return survey(device, observed, at);
    case 'stop': {
      if (observed.state !== 'stopped') return { step: 'stop' };
      const ended = device.startedAt === undefined ? { change: {} } : endRun(device, at.nowMs);
      return { ...ended, change: { ...ended.change, ...off(device), upgrade: { step: 'copy' } } };
    }
    case 'copy':
      if (observed.state !== 'stopped') return { step: 'stop' };
      return after === 'copy' ? next({ step: 'image' }) : { step: 'copy' };
    case 'image':
      if (observed.state !== 'stopped') return { step: 'stop' };
      if (after !== 'image') return { step: 'image' };
      return next({ step: 'boot', ...(upgraded.android !== undefined && { android: upgraded.android }) });
    case 'boot':
      return observed.state === 'running' ? next({ step: 'check' }) : { step: 'start' };
    case 'check': {
      if (observed.state !== 'running') return { step: 'start' };
      if (after !== 'verify') return { step: 'verify' };
      const android = upgrade.android ?? device.android;
      return { change: { android, upgrade: { step: 'drop' } } };
    }
    case 'drop':
      return after === 'drop' ? next({ step: 'end' }) : { step: 'drop' };
    case 'back':
      if (observed.state === 'running' || observed.state === 'starting') return { step: 'stop' };
      return after === 'back' ? next({ step: 'end' }) : { step: 'back' };
    case 'end':
      return end(device, upgrade, observed, at);
  }
}

function next(upgrade: Partial<JobUpgrade>): Decision {
  return { change: { upgrade } };
}

/** The facts are read from a phone that runs. The job is announced with them. */
function survey(device: DeviceDocument, observed: Observation, at: Moment): Decision {
  const checkedAt = new Date(at.nowMs);
  if (observed.state === 'running') {
    const { facts } = observed.upgraded ?? {};
    if (observed.after !== 'survey' || facts === undefined) return { step: 'survey' };
    const announced: DeviceChange = device.wanted === 'running' ? { state: 'stopping' } : {};
    return { change: { ...announced, checkedAt, upgrade: { step: 'stop', before: facts } } };
  }
  if (device.startedAt === undefined || observed.state === 'starting') return { step: 'start' };
  // The phone of a running device has stopped by itself. Its run ends here.
  const ended = endRun(device, at.nowMs);
  return { ...ended, change: { ...ended.change, ...off(device), checkedAt } };
}

/** Returns the state of a device whose phone is off, while it is upgraded. */
function off({ wanted }: DeviceDocument): DeviceChange {
  return wanted === 'running' ? { state: 'starting' } : {};
}

function end(device: DeviceDocument, upgrade: JobUpgrade, observed: Observation, at: Moment): Decision {
  const { wanted, job } = device;
  const { android, refused } = upgrade;
  const ends = {
    end: refused === undefined ? ('done' as const) : new JobFailure(refused),
    ...(refused === undefined && android !== undefined && { result: { android } }),
  };
  if (wanted !== 'running' && observed.state !== 'stopped') return { step: 'stop' };
  // Nothing was announced, so a device that runs was never stopped.
  if (wanted !== 'running' || job?.checkedAt === undefined) return { change: {}, ...ends };
  if (observed.state !== 'running') return { step: 'start' };
  return { ...done(device, observed, at), ...ends };
}
