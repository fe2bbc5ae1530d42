import { CommandError } from '../command-error.js';
import { keyPatternOf, PRIMARY_INDEX_NAME, type Collection, type Index } from '../store/catalog.js';
import { dropIndex } from '../store/definitions.js';
import { isDocument } from '../values/document.js';
import { namespaceOf, type Command } from './command.js';

/** `index` is a name, a key document, a list of names, or `*` for all but the one on `_id`. */
export const dropIndexes: Command = {
  names: ['dropIndexes'],
  fields: ['index'],
  run: (call) => {
    const namespace = namespaceOf(call);
    return call.server.store.write((writer) => {
      const collection = writer.catalog.get(namespace);
      if (collection === undefined) throw new CommandError('NamespaceNotFound', `ns not found ${namespace}`);
      const nIndexesWas = collection.indexes.length + 1;
      for (const index of selected(collection, call.body['index'])) dropIndex(writer, namespace, index);
      return { nIndexesWas, ok: 1 };
    });
  },
};

function selected(collection: Collection, wanted: unknown): readonly Index[] {
  if (wanted === '*') return collection.indexes;
  if (Array.isArray(wanted)) return wanted.flatMap((name) => selected(collection, name));
  if (wanted === PRIMARY_INDEX_NAME) throw new CommandError('InvalidOptions', 'cannot drop _id index');
  const pattern = isDocument(wanted) ? JSON.stringify(wanted) : undefined;
  const index = collection.indexes.find((known) =>
    pattern === undefined ? known.name === wanted : JSON.stringify(keyPatternOf(known)) === pattern,
  );
  if (index === undefined) throw new CommandError('IndexNotFound', `index not found with name [${String(wanted)}]`);
  return [index];
}
