import type { RootDatabase } from 'lmdb';
import { isRunning, thisProcess, type ProcessOwner } from '../../process-owner.js';
import { FolderInUseError } from './folder-in-use-error.js';

/**
 * Makes this process the only one to serve the folder. The owner is written in an LMDB write transaction, which LMDB
 * allows one process at a time: of two that start at once, the second reads what the first wrote. An owner that no longer
 * runs (after kill -9) is replaced; isRunning says what it cannot see.
 *
 * @returns releases the folder
 * @throws FolderInUseError
 */
export function takeFolder(environment: RootDatabase<Buffer, Buffer>, directory: string): () => void {
  const table = environment.openDB<Buffer, Buffer>({ name: 'owner', encoding: 'binary', keyEncoding: 'binary' });
  environment.transactionSync(() => {
    const bytes = table.get(OWNER_KEY);
    const owner = bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as ProcessOwner);
    if (owner !== undefined && isRunning(owner)) throw new FolderInUseError(directory, owner.pid);
    table.putSync(OWNER_KEY, Buffer.from(JSON.stringify(thisProcess())));
  });
  return () => table.removeSync(OWNER_KEY);
}

const OWNER_KEY = Buffer.from('owner');
