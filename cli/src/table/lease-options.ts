import type { Option } from '../command/command.js';

/** Returns the options about the end of a lease. `usual`: what is done without them. */
export function endOptions(usual: string): Readonly<Record<string, Option>> {
  return {
    'at-end': {
      value: 'WORD',
      words: ['keep', 'stop', 'restore', 'delete'],
      about: `What is done with the phone at the end. ${usual}`,
    },
    snapshot: {
      value: 'ID',
      about: 'The snapshot that --at-end restore returns the phone to; not for a phone of a pool',
    },
  };
}
