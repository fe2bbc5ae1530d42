import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Longest part of the program's standard error that is kept, characters. */
const MAX_STDERR_CHARS = 500;

/**
 * Removes a file or folder with all below it, by the program `rm`. Node's own function fails on paths longer than 4096 bytes, which a phone
 * can make, and holds a folder's names in memory. Links are removed, and never followed. A path that does not exist is no error.
 */
export async function removeTree(path: string): Promise<void> {
  const words = ['--recursive', '--force', '--one-file-system', '--', path];
  const remove = spawn('rm', words, { stdio: ['ignore', 'ignore', 'pipe'], env: { LC_ALL: 'C' } });
  let complaint = '';
  remove.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, MAX_STDERR_CHARS)));
  const [status] = (await once(remove, 'close')) as [number | null];
  if (status !== 0) throw new Error(`a folder could not be removed: ${complaint.trim()}`);
}
