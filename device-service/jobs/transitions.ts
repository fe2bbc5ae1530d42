import type { DeviceDocument, DeviceStateWord, JobKindWord } from '../store/device-document.js';
import type { WorkKindWord } from '../store/job-work.js';

interface Transition {
  /** In which states the job may begin. */
  from: readonly DeviceStateWord[];
  /** The change when it is accepted: the state meanwhile, and the wanted state from then on. Undefined where it is work. */
  change: Partial<Pick<DeviceDocument, 'state' | 'wanted'>> | undefined;
}

/**
 * Which job may begin in which state, and which state it leads to. The work itself is in converge/. `create` and `clone` begin with
 * the device itself; the wanted state depends on the request.
 */
export const transitions: Record<JobKindWord, Transition> = {
  create: { from: [], change: { state: 'creating', wanted: 'running' } },
  start: { from: ['stopped', 'failed'], change: { state: 'starting', wanted: 'running' } },
  stop: { from: ['running'], change: { state: 'stopping', wanted: 'stopped' } },
  restart: { from: ['running'], change: { state: 'stopping', wanted: 'running' } },
  delete: { from: ['stopped', 'running', 'failed'], change: { state: 'deleting', wanted: 'gone' } },
  // Announced once the snapshot was found whole (converge/reconcile.ts): until then the phone stays in use.
  restore: { from: ['stopped', 'running', 'failed'], change: {} },
  clone: { from: [], change: { state: 'creating', wanted: 'running' } },
  // Work on a phone, which stays as it is, and in use, meanwhile.
  install: { from: ['running'], change: undefined },
  uninstall: { from: ['running'], change: undefined },
  network: { from: ['running'], change: undefined },
  rotate: { from: ['running'], change: undefined },
  snapshot: { from: ['stopped', 'running'], change: undefined },
};

/** Whether jobs of this kind work on a phone whose power they do not change. */
export function isWork(kind: JobKindWord): kind is WorkKindWord {
  return transitions[kind].change === undefined;
}
