import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Kept of what the program writes on standard error, characters. */
const MOST_COMPLAINT = 500;

/**
 * Removes a file or folder with all below it, by the program `rm`: Node's own function fails on paths longer than 4096 bytes, which a phone
 * can make, and holds a folder's names in memory. Links are removed, and never followed. One that does not exist is no error.
 */
export async function removeTree(path: string): Promise<void> {
  const words = ['--recursive', '--force', '--one-file-system', '--', path];
  const remove = spawn('rm', words, { stdio: ['ignore', 'ignore', 'pipe'], env: { LC_ALL: 'C' } });
  let complaint = '';
  remove.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, MOST_COMPLAINT)));
  const [status] = (await once(remove, 'close')) as [number | null];
  if (status !== 0) throw new Error(`a folder could not be removed: ${complaint.trim()}`);
}
