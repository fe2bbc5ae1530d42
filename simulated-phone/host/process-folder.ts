import { join } from 'node:path';

/** Returns the folder of one simulator process, with its lock, its socket, its log and its scratch space. */
export function processFolder(directory: string, index: number): string {
  return join(directory, PROCESS_FOLDERS, String(index));
}

/** The name of the folder that holds the processes' folders; it lies in the folder of the phones. */
export const PROCESS_FOLDERS = 'processes';
