import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Makes everything that was written to the file system of a folder durable, by the program `sync`: one call for thousands of files. */
export async function flushDisk(folder: string): Promise<void> {
  const sync = spawn('sync', ['--file-system', '--', folder], { stdio: 'ignore', env: { LC_ALL: 'C' } });
  const [status] = (await once(sync, 'close')) as [number | null];
  if (status !== 0)
    throw new Error(`The disk of ${folder} did not take what was written. Check the disk, and try again.`);
}
