import { spawn } from 'node:child_process';

/** Kept of what the program writes on standard error, characters. */
const MOST_COMPLAINT = 500;

/**
 * Returns what a folder takes on its disk, bytes, by the program `du`: blocks, so a hole in a file counts nothing, and a file with several
 * names counts once. It takes paths of any length, which a phone can make. 0 where there is no such folder.
 */
export async function diskUsage(folder: string): Promise<number> {
  const words = ['--summarize', '--block-size=1', '--one-file-system', '--', folder];
  const count = spawn('du', words, { stdio: ['ignore', 'pipe', 'pipe'], env: { LC_ALL: 'C' } });
  let printed = '';
  let complaint = '';
  count.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  count.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, MOST_COMPLAINT)));
  let failure: Error | undefined;
  count.once('error', (error) => (failure = error));
  await new Promise<void>((resolve) => count.once('close', () => resolve()));
  if (failure !== undefined) throw failure;
  const total = /^(\d+)\t/.exec(printed)?.[1];
  // Its status is 1 for entries that vanish meanwhile, too; then the total is there.
  if (total !== undefined) return Number(total);
  if (/No such file or directory/.test(complaint)) return 0;
  throw new Error(`the room that a folder takes could not be counted: ${complaint.trim()}`);
}
