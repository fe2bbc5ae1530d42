import type { DeviceDocument, DeviceStateWord, JobKindWord } from '../store/device-document.js';
import type { WorkKindWord } from '../store/job-work.js';

interface Transition {
  /** In which states the job may begin. */
  from: readonly DeviceStateWord[];
  /** The state meanwhile. */
  meanwhile: DeviceStateWord;
  /** What the device is wanted to be from then on. */
  wanted: DeviceDocument['wanted'];
}

/**
 * Which job may begin in which state, and which state it asks for. The work itself is in converge/. `create` begins with the device
 * itself; the state that it asks for depends on its request.
 */
export const transitions: Record<JobKindWord, Transition> = {
  create: { from: [], meanwhile: 'creating', wanted: 'running' },
  start: { from: ['stopped', 'failed'], meanwhile: 'starting', wanted: 'running' },
  stop: { from: ['running'], meanwhile: 'stopping', wanted: 'stopped' },
  restart: { from: ['running'], meanwhile: 'stopping', wanted: 'running' },
  delete: { from: ['stopped', 'running', 'failed'], meanwhile: 'deleting', wanted: 'gone' },
  // Work on a running phone, which stays in use meanwhile.
  install: { from: ['running'], meanwhile: 'running', wanted: 'running' },
  uninstall: { from: ['running'], meanwhile: 'running', wanted: 'running' },
  network: { from: ['running'], meanwhile: 'running', wanted: 'running' },
  rotate: { from: ['running'], meanwhile: 'running', wanted: 'running' },
};

/** Whether jobs of this kind work on a running phone, whose power they do not change. */
export function isWork(kind: JobKindWord): kind is WorkKindWord {
  return transitions[kind].meanwhile === 'running';
}
