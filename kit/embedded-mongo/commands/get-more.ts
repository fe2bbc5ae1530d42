import { Long } from 'bson';
import { CommandError } from '../command-error.js';
import { cursorReply } from '../wire/cursor-reply.js';
import { optionalCount } from './arguments.js';
import { namespace, type Command } from './command.js';

export const getMore: Command = {
  names: ['getMore'],
  fields: ['collection', 'batchSize'],
  run: ({ server, database, body }) => {
    const target = namespace(database, body['collection']);
    const batch = server.cursors.next(cursorIdOf(body['getMore']), target, optionalCount(body, 'batchSize') ?? 0);
    return cursorReply(batch.cursorId, target, 'nextBatch', batch.documents);
  },
};

/** Ids are below 2^53, so any other is of no cursor here; 0 is never one. */
export function cursorIdOf(id: unknown): number {
  if (typeof id === 'number') return id;
  if (Long.isLong(id)) return 0;
  throw new CommandError('TypeMismatch', 'a cursor id must be a long');
}
