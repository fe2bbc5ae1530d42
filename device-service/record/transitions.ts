import type { DeviceDocument, DeviceStateWord, JobKindWord } from '../store/device-document.js';
import type { WorkKindWord } from '../store/job-work.js';

interface Transition {
  /** The states in which the job may begin. */
  from: readonly DeviceStateWord[];
  /** The change when the job is accepted: the state until the job ends, and the new wanted state. Undefined: the job is work (isWork). */
  change: Partial<Pick<DeviceDocument, 'state' | 'wanted'>> | undefined;
}

/**
 * The states in which each job may begin, and the states that it leads to. The work itself is in converge/. `create` and `clone` begin
 * with the device itself; their wanted state depends on the request.
 */
export const transitions: Record<JobKindWord, Transition> = {
  create: { from: [], change: { state: 'creating', wanted: 'running' } },
  start: { from: ['stopped', 'failed'], change: { state: 'starting', wanted: 'running' } },
  stop: { from: ['running'], change: { state: 'stopping', wanted: 'stopped' } },
  restart: { from: ['running'], change: { state: 'stopping', wanted: 'running' } },
  delete: { from: ['stopped', 'running', 'failed'], change: { state: 'deleting', wanted: 'gone' } },
  // A restore is announced once the snapshot was found whole (devices/converge/reconcile.ts). Until then the phone stays in use.
  restore: { from: ['stopped', 'running', 'failed'], change: {} },
  clone: { from: [], change: { state: 'creating', wanted: 'running' } },
  // A move is announced when it is accepted, for a device that runs (devices/moves/accept-move.ts).
  move: { from: ['stopped', 'running', 'failed'], change: {} },
  // An upgrade is announced once the new image is there (devices/converge/reconcile-upgrade.ts). Until then the phone stays in use.
  upgrade: { from: ['stopped', 'running'], change: {} },
  // During the jobs below, the phone keeps its state and can be used.
  install: { from: ['running'], change: undefined },
  uninstall: { from: ['running'], change: undefined },
  network: { from: ['running'], change: undefined },
  rotate: { from: ['running'], change: undefined },
  snapshot: { from: ['stopped', 'running'], change: undefined },
  // Only the snapshot's files are used.
  template: { from: ['stopped', 'running', 'failed'], change: undefined },
};

/** Returns whether jobs of this kind are work on a phone, which does not change the phone's power. */
export function isWork(kind: JobKindWord): kind is WorkKindWord {
  return transitions[kind].change === undefined;
}
