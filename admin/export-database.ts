import { closeSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EJSON } from 'bson';
import { systemClock } from '../kit/async/clock.js';
import { describeIndexes } from '../embedded-mongo/commands/list-indexes.js';
import { afterPrefix } from '../embedded-mongo/values/index-key.js';
import { FreeSpace, freeBytesOf } from '../embedded-mongo/store/free-space.js';
import { Store } from '../embedded-mongo/store/store.js';
import { randomText } from '../kit/text/ids.js';
import { tablePrefix } from '../embedded-mongo/store/view.js';
import { assertNew, copyDatabase } from './database-folder.js';

/**
 * Writes the database of the running service as mongodump does, for `mongorestore`. `<to>/<database>/<collection>.bson` has the documents
 * one after the other, as BSON, and `<collection>.metadata.json` the indexes. The export is of one moment. It reads a copy of the database,
 * so the service has no other work than to make the copy. The folder appears whole or not at all.
 *
 * Returns how many documents there are.
 */
export async function exportDatabase(dataDirectory: string, to: string): Promise<number> {
  const folder = resolve(to);
  assertNew(folder);
  const partial = `${folder}.partial-${randomText(6)}`;
  const copy = join(partial, '.copy');
  mkdirSync(copy, { recursive: true, mode: 0o700 });
  try {
    await copyDatabase(dataDirectory, copy);
    const store = Store.open(copy, new FreeSpace(() => freeBytesOf(copy), systemClock));
    const count = dump(store, partial);
    await store.close();
    rmSync(copy, { recursive: true });
    renameSync(partial, folder);
    return count;
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw error;
  }
}

function dump(store: Store, folder: string): number {
  let count = 0;
  store.read((view) => {
    for (const collection of view.catalog.all()) {
      const dot = collection.namespace.indexOf('.');
      const [database, name] = [collection.namespace.slice(0, dot), collection.namespace.slice(dot + 1)];
      mkdirSync(join(folder, database), { recursive: true, mode: 0o700 });
      const path = join(folder, database, encodeURIComponent(name));
      const file = openSync(`${path}.bson`, 'wx', 0o600);
      const start = tablePrefix(collection.id);
      for (const { bytes } of view.documents({ start, end: afterPrefix(start) })) {
        // writeFileSync writes all bytes, while writeSync may write only a part of them.
        writeFileSync(file, bytes);
        count++;
      }
      closeSync(file);
      const metadata = { options: {}, indexes: describeIndexes(collection), collectionName: name, type: 'collection' };
      writeFileSync(`${path}.metadata.json`, EJSON.stringify(metadata, { relaxed: false }), { mode: 0o600 });
    }
  });
  return count;
}
