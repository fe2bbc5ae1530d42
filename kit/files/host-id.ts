import { hostname } from 'node:os';
import { randomText } from '../text/ids.js';
import { keptIn } from './kept-text.js';

/** Where the host's name is kept in a data folder. */
export const HOST_ID_FILE = 'host-id';

/** Where the folder's own id is kept. */
export const FOLDER_ID_FILE = 'folder-id';

/**
 * Returns the name under which this data folder's phones are driven: `configured` (HOST_ID), else a random one. That one is made at the
 * first start and kept in the folder. So two installations on one machine that share a database do not take each other's phones.
 */
export function hostIdOf(dataDirectory: string, configured: string | undefined): string {
  return configured ?? keptIn(dataDirectory, HOST_ID_FILE, () => `${hostname()}-${randomText(4)}`);
}

/** Returns the id of a data folder. It is made at the first use and kept in the folder, so it stays the same on another host. */
export function folderIdOf(dataDirectory: string): string {
  return keptIn(dataDirectory, FOLDER_ID_FILE, () => `folder_${randomText(20)}`);
}
