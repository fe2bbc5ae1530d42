import type { DeviceStateWord, JobKindWord } from '../store/device-document.js';

/**
 * Which job may begin in which state, and the state meanwhile. What a job leads to is in work/. `create` begins with the device
 * itself and so starts from nothing.
 */
export const transitions: Record<JobKindWord, { from: readonly DeviceStateWord[]; meanwhile: DeviceStateWord }> = {
  create: { from: [], meanwhile: 'creating' },
  start: { from: ['stopped', 'failed'], meanwhile: 'starting' },
  stop: { from: ['running'], meanwhile: 'stopping' },
  restart: { from: ['running'], meanwhile: 'stopping' },
  delete: { from: ['stopped', 'running', 'failed'], meanwhile: 'deleting' },
};
