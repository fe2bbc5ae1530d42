import { Long } from 'bson';
import { longsIn } from '../values/bson.js';
import { CommandError } from '../values/command-error.js';
import { cursorReply } from '../wire/cursor-reply.js';
import { optionalCount } from './arguments.js';
import { namespace, type Command } from './command.js';

export const getMore: Command = {
  names: ['getMore'],
  fields: ['collection', 'batchSize'],
  run: ({ server, database, body, bytes }) => {
    const target = namespace(database, body['collection']);
    const batch = server.cursors.next(
      cursorIdOf(longsIn(bytes)['getMore']),
      target,
      optionalCount(body, 'batchSize') ?? 0,
    );
    return cursorReply(batch.cursorId, target, 'nextBatch', batch.documents);
  },
};

/**
 * Returns a cursor id as a number. Ids of this server are below 2^53, so a larger id matches no cursor. A plain number is refused, as
 * MongoDB does.
 */
export function cursorIdOf(id: unknown): number {
  if (!Long.isLong(id)) throw new CommandError('TypeMismatch', 'a cursor id must be of type long');
  return id.toNumber();
}
