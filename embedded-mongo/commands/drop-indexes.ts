import { CommandError, notSupported } from '../values/command-error.js';
import { PRIMARY_INDEX_NAME } from '../store/catalog.js';
import { dropIndex } from '../store/definitions.js';
import { requiredString } from './arguments.js';
import { namespaceOf, type Command } from './command.js';

/** Removes one index by its name. Queries that are under way keep the entries that they have read. */
export const dropIndexes: Command = {
  names: ['dropIndexes'],
  fields: ['index'],
  run: (call) => {
    const namespace = namespaceOf(call);
    const name = requiredString(call.body, 'index');
    if (name === '*') throw notSupported("dropIndexes of '*'");
    if (name === PRIMARY_INDEX_NAME) throw new CommandError('InvalidOptions', 'cannot drop _id index');
    return call.server.store.write((writer) => {
      const collection = writer.catalog.get(namespace);
      if (collection === undefined) throw new CommandError('NamespaceNotFound', `ns not found ${namespace}`);
      const index = collection.indexes.find((one) => one.name === name);
      if (index === undefined) throw new CommandError('IndexNotFound', `index not found with name [${name}]`);
      dropIndex(writer, collection, index);
      return { nIndexesWas: collection.indexes.length + 1, ok: 1 };
    });
  },
};
