import { serialize } from 'bson';
import { notSupported } from '../values/command-error.js';
import { optionalBoolean, optionalCount, optionalDocument } from './arguments.js';
import type { Command } from './command.js';
import { reply } from './cursor-batch.js';

/** Lists the collections of a database. Every client has the same ones, as there are no users. */
export const listCollections: Command = {
  names: ['listCollections'],
  fields: ['cursor', 'filter', 'nameOnly', 'authorizedCollections'],
  run: ({ body, database, server }) => {
    if (Object.keys(optionalDocument(body, 'filter') ?? {}).length > 0)
      throw notSupported('a filter of listCollections');
    const isShort = optionalBoolean(body, 'nameOnly') === true;
    const batchSize = optionalCount(optionalDocument(body, 'cursor') ?? {}, 'batchSize');
    const prefix = `${database}.`;
    return reply(
      server,
      `${prefix}$cmd.listCollections`,
      (view) =>
        [...view.catalog.all()]
          .filter(({ namespace }) => namespace.startsWith(prefix))
          .map(({ namespace }) => ({ name: namespace.slice(prefix.length), type: 'collection' }))
          .map((short) => serialize(isShort ? short : { ...short, options: {}, info: { readOnly: false } })),
      batchSize ?? Infinity,
    );
  },
};
