import { serialize } from 'bson';
import { CommandError } from '../command-error.js';
import { parseFilter } from '../query/filter.js';
import { compileFilter } from '../query/match.js';
import { dropCollection, ensureCollection } from '../store/definitions.js';
import { optionalDocument } from './arguments.js';
import { namespaceOf, type Command } from './command.js';
import { reply } from './cursor-batch.js';

export const create: Command = {
  names: ['create'],
  fields: [],
  run: (call) => {
    const namespace = namespaceOf(call);
    return call.server.store.write((writer) => {
      if (writer.catalog.get(namespace) !== undefined)
        throw new CommandError('NamespaceExists', `Collection ${namespace} already exists.`);
      ensureCollection(writer, namespace);
      return { ok: 1 };
    });
  },
};

export const drop: Command = {
  names: ['drop'],
  fields: [],
  run: (call) => {
    const namespace = namespaceOf(call);
    return call.server.store.write((writer) => {
      const collection = writer.catalog.get(namespace);
      if (collection === undefined) return { ok: 1 };
      dropCollection(writer, collection);
      return { ns: namespace, nIndexesWas: collection.indexes.length + 1, ok: 1 };
    });
  },
};

export const dropDatabase: Command = {
  names: ['dropDatabase'],
  fields: [],
  run: ({ server, database }) =>
    server.store.write((writer) => {
      for (const collection of writer.catalog.inDatabase(database)) dropCollection(writer, collection);
      return { dropped: database, ok: 1 };
    }),
};

export const listCollections: Command = {
  names: ['listCollections'],
  fields: ['filter', 'nameOnly', 'authorizedCollections', 'cursor'],
  run: ({ server, database, body }) => {
    const matches = compileFilter(parseFilter(optionalDocument(body, 'filter') ?? {}));
    return reply(
      server,
      `${database}.$cmd.listCollections`,
      (view) =>
        view.catalog
          .inDatabase(database)
          .map(({ namespace }) => ({ name: namespace.slice(database.length + 1), type: 'collection', options: {} }))
          .filter(matches)
          .map((collection) => serialize({ ...collection, info: { readOnly: false } })),
      Infinity,
    );
  },
};

export const listDatabases: Command = {
  names: ['listDatabases'],
  fields: ['filter', 'nameOnly', 'authorizedDatabases'],
  run: ({ server, body }) => {
    const matches = compileFilter(parseFilter(optionalDocument(body, 'filter') ?? {}));
    const names = server.store.read(({ catalog }) => catalog.all().map(({ namespace }) => databaseOf(namespace)));
    return { databases: [...new Set(names)].map((name) => ({ name })).filter(matches), ok: 1 };
  },
};

function databaseOf(namespace: string): string {
  return namespace.slice(0, namespace.indexOf('.'));
}
