import { Long } from 'bson';
import { longsIn } from '../values/bson.js';
import { requiredArray } from './arguments.js';
import type { Command } from './command.js';
import { cursorIdOf } from './get-more.js';

export const killCursors: Command = {
  names: ['killCursors'],
  fields: ['cursors'],
  run: ({ server, bytes }) => {
    const cursorsKilled: Long[] = [];
    const cursorsNotFound: Long[] = [];
    for (const id of requiredArray(longsIn(bytes), 'cursors').map(cursorIdOf))
      (server.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(Long.fromNumber(id));
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: 1 };
  },
};
