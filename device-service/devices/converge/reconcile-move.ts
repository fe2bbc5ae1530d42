import { JobFailure } from '../jobs/job-failure.js';
import type { DeviceChange } from '../../store/device-change.js';
import type { JobMove } from '../../store/device-document.js';
import type { DeviceDocument } from '../../store/devices.js';
import { dataLost, type Decision, done, endRun, failedBy, type Moment, type Observation } from './decision.js';

/**
 * Returns the next decision for a phone that moves (devices/moves/move-phone.ts). The phone is off while it is sent. At the new host, or at
 * the old one where it stays, it is started again if it ran.
 */
export function reconcileMove(device: DeviceDocument, move: JobMove, observed: Observation, at: Moment): Decision {
  const { wanted, startedAt } = device;
  const { arrived, refused } = move;
  // The copy is put in place before anything else is done. Doing it again changes nothing.
  const isToArrive = arrived === true && observed.after === undefined && observed.state !== 'running';
  if (isToArrive) return { step: 'arrive' };
  if (observed.state === 'absent') return failedBy(device, dataLost(device), observed, at);
  if (observed.state === 'broken') return failedBy(device, { kind: 'broken', message: observed.problem }, observed, at);
  if (arrived !== true && refused === undefined) {
    if (observed.state !== 'stopped') return { step: 'stop' };
    if (startedAt !== undefined) {
      const ended = endRun(device, at.nowMs);
      return { ...ended, change: { ...ended.change, state: 'starting' } };
    }
    if (observed.sent === undefined) return { step: 'send' };
    return 'arrival' in observed.sent
      ? { change: { movedTo: observed.sent.arrival } }
      : { change: { moveRefused: observed.sent.refused } };
  }
  if (wanted === 'running' && observed.state !== 'running') return { step: 'start' };
  if (wanted !== 'running' && observed.state !== 'stopped') return { step: 'stop' };
  const over = wanted === 'running' ? done(device, observed, at) : { change: {}, end: 'done' as const };
  const left: DeviceChange = arrived === true ? { leftAt: move.from } : {};
  const end = refused === undefined ? ('done' as const) : new JobFailure(refused);
  return { ...over, change: { ...('change' in over && over.change), ...left }, end };
}
