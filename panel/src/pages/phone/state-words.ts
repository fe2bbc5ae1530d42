import type { Device } from '../../api/client.ts';

/** The words that are shown on the screen of a phone that is not running. */
export const STATE_WORDS: Partial<Record<Device['state'], string>> = {
  creating: 'Creating…',
  stopped: 'This phone is off.',
  starting: 'Booting…',
  stopping: 'Shutting down…',
  deleting: 'Deleting…',
  failed: 'This phone failed to start.',
};
