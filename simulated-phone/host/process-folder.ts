import { join } from 'node:path';

/** The folder of one simulator process: its lock, its socket, its log and its scratch space. */
export function processFolder(directory: string, index: number): string {
  return join(directory, PROCESS_FOLDERS, String(index));
}

/** Where the folders of the processes are, below that of the phones. */
export const PROCESS_FOLDERS = 'processes';
