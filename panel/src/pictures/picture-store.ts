/** The last picture of a phone's screen that this browser had. */
export interface KeptPicture {
  blob: Blob;
  /** When it was kept, ms since 1970. */
  atMs: number;
}

interface Entry extends KeptPicture {
  id: string;
}

const DATABASE = 'cloudphone-pictures';
const STORE = 'pictures';
const BY_TIME = 'atMs';

/** Most pictures that are kept. For one more, the oldest is removed. At the usual 40 KB each, all take 10 MB. */
const MAX_PICTURES = 250;
/** Largest picture that is kept, bytes. */
const MAX_PICTURE_BYTES = 400_000;

/** Keeps a picture in place of the one before it, if there is one. */
export async function keepPicture(id: string, blob: Blob): Promise<void> {
  if (blob.size > MAX_PICTURE_BYTES) return;
  const entry: Entry = { id, blob, atMs: Date.now() };
  await inStore('readwrite', async (store) => {
    await done(store.put(entry));
    const surplus = (await done(store.count())) - MAX_PICTURES;
    if (surplus <= 0) return;
    const oldest = await done(store.index(BY_TIME).getAllKeys(null, surplus));
    await Promise.all(oldest.map((key) => done(store.delete(key))));
  });
}

export async function readPicture(id: string): Promise<KeptPicture | undefined> {
  return inStore('readonly', (store) => done(store.get(id) as IDBRequest<Entry | undefined>));
}

/** Removes every picture, so that the next person who uses this browser does not see them. */
export async function forgetPictures(): Promise<void> {
  await inStore('readwrite', (store) => done(store.clear()));
}

let opened: Promise<IDBDatabase> | undefined;

/** Opens the database at the first use. After a failure, the next use tries again. */
function open(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () =>
      void request.result.createObjectStore(STORE, { keyPath: 'id' }).createIndex(BY_TIME, 'atMs');
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('this browser keeps no database'));
  }).catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

/** Does `work` in one transaction. Returns undefined where the browser has no database, as some browsers in private windows. */
async function inStore<T>(
  mode: IDBTransactionMode,
  work: (store: IDBObjectStore) => Promise<T>,
): Promise<T | undefined> {
  const database = await open().catch(() => undefined);
  if (database === undefined) return undefined;
  return work(database.transaction(STORE, mode).objectStore(STORE));
}

function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('the browser did not keep a picture'));
  });
}
