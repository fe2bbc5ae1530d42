import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import S3rver from 's3rver';

/** A real server of S3's protocol on loopback, which keeps its objects in a folder. */
export interface S3Server {
  endpoint: string;
  /** The keys of all objects, whole or not, as they are in its folder. */
  keys(): Promise<string[]>;
  close(): Promise<void>;
}

/** The key that the server takes. */
export const S3_KEY = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/** Starts a server with one bucket. Objects that the folder has are there again. `port` 0: a free one. */
export async function startS3(directory: string, bucket: string, port = 0): Promise<S3Server> {
  await mkdir(directory, { recursive: true });
  const server = new S3rver({
    port,
    address: '127.0.0.1',
    silent: true,
    directory,
    configureBuckets: [{ name: bucket }],
  });
  const { port: listening } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${listening}`,
    keys: () => keysIn(join(directory, bucket)),
    close: () => server.close(),
  };
}

/** The file of an object has its key as its path, and this after it. */
const OBJECT = '._S3rver_object';

/** A folder that is removed while it is read, as the server does with empty ones, has no keys. */
async function keysIn(folder: string, above = ''): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  const found = entries.map(async (entry) => {
    const key = `${above}${entry.name}`;
    if (entry.isDirectory()) return keysIn(join(folder, entry.name), `${key}/`);
    return key.endsWith(OBJECT) ? [key.slice(0, -OBJECT.length)] : [];
  });
  return (await Promise.all(found)).flat();
}
