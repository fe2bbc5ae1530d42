import { isAbsolute } from 'node:path';
import { CommandError } from '../values/command-error.js';
import { requiredString } from './arguments.js';
import type { Command } from './command.js';

/**
 * `{backup: 1, to: <folder>}` on the database `admin`: copies everything as of one moment into an empty folder, while writes go on. For
 * the operator's command line only; MongoDB has no such command.
 */
export const backup: Command = {
  names: ['backup'],
  fields: ['to'],
  run: async ({ body, database, server }) => {
    const to = requiredString(body, 'to');
    if (database !== 'admin' || !isAbsolute(to))
      throw new CommandError(
        'BadValue',
        'backup runs on the database admin, with the absolute path of an empty folder',
      );
    await server.store.copyTo(to);
    return { ok: 1 };
  },
};
