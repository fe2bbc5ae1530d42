import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize } from 'bson';
import { systemClock } from '../../kit/async/clock.js';
import { FreeSpace, freeBytesOf } from '../../embedded-mongo/store/free-space.js';
import { Store } from '../../embedded-mongo/store/store.js';
import { tablePrefix } from '../../embedded-mongo/store/view.js';
import { afterPrefix } from '../../embedded-mongo/values/index-key.js';
import { documentsFile, type SavedDocuments } from './backup-file.js';
import { documentsIn } from './bson-file.js';

/** The fields of a device's document that a backup reads. */
export interface BackedUpDevice {
  _id: string;
  name?: string;
  state?: string;
  driver?: string;
  /** The phone was made. */
  made?: true;
  /** The job at work on it. */
  job?: object;
  gone?: true;
}

/** The fields of a snapshot's or template's document that a backup reads. */
export interface BackedUpSnapshot {
  _id: string;
  state?: string;
}

/** Devices, and snapshots and templates, by their ids, as of the moment of the copy. */
export interface DatabaseContent {
  devices: Map<string, BackedUpDevice>;
  /** Files of a template are kept as those of a snapshot. */
  snapshots: Map<string, BackedUpSnapshot>;
}

/** Reads a copy of the database in a folder. It shows which phones were off at the moment of the copy, however long the rest takes. */
export async function readContent(folder: string): Promise<DatabaseContent> {
  const store = Store.open(folder, new FreeSpace(() => freeBytesOf(folder), systemClock));
  try {
    const snapshots = new Map([
      ...collect<BackedUpSnapshot>(store, 'snapshots'),
      ...collect<BackedUpSnapshot>(store, 'templates'),
    ]);
    return { devices: collect<BackedUpDevice>(store, 'devices'), snapshots };
  } finally {
    await store.close();
    rmSync(join(folder, 'lock.mdb'), { force: true });
  }
}

function collect<T extends { _id: string }>(store: Store, name: string): Map<string, T> {
  const found = new Map<string, T>();
  store.read((view) => {
    for (const collection of view.catalog.all()) {
      // The part before the dot is MONGODB_DATABASE.
      if (collection.namespace.slice(collection.namespace.indexOf('.') + 1) !== name) continue;
      const start = tablePrefix(collection.id);
      for (const { bytes } of view.documents({ start, end: afterPrefix(start) })) {
        const document = deserialize(bytes) as T;
        found.set(document._id, document);
      }
    }
  });
  return found;
}

/** Reads devices, snapshots and templates from the documents of a MongoDB in a backup. */
export async function contentOfDocuments(folder: string, { collections }: SavedDocuments): Promise<DatabaseContent> {
  const of = async <T extends { _id: string }>(wanted: string): Promise<Map<string, T>> => {
    const found = new Map<string, T>();
    const at = collections.findIndex(({ name }) => name === wanted);
    if (at === -1) return found;
    for await (const bytes of documentsIn(documentsFile(folder, at))) {
      const document = deserialize(bytes) as T;
      found.set(document._id, document);
    }
    return found;
  };
  const snapshots = new Map([
    ...(await of<BackedUpSnapshot>('snapshots')),
    ...(await of<BackedUpSnapshot>('templates')),
  ]);
  return { devices: await of<BackedUpDevice>('devices'), snapshots };
}
