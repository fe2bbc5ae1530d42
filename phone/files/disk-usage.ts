import { spawn } from 'node:child_process';

/** How long the count may take, ms. A phone of a usual size has 100,000 files, which a slow disk lists within a minute. */
const COUNT_MS = 180_000;
/** Most characters that are kept of the program's output on standard error. */
const MAX_STDERR_CHARS = 500;

/**
 * Returns the bytes that a folder takes on its disk. The program `du` counts blocks, so a hole in a file adds nothing, and a file with
 * several names counts once. The program also takes paths of any length, which a phone can make. Returns 0 when there is no such
 * folder. Throws where the count takes too long.
 */
export async function diskUsage(folder: string): Promise<number> {
  const words = ['--summarize', '--block-size=1', '--one-file-system', '--', folder];
  const limit = { timeout: COUNT_MS, killSignal: 'SIGKILL' } as const;
  const count = spawn('du', words, { stdio: ['ignore', 'pipe', 'pipe'], env: { LC_ALL: 'C' }, ...limit });
  let printed = '';
  let complaint = '';
  count.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  count.stderr.on('data', (chunk: Buffer) => (complaint = (complaint + chunk.toString()).slice(0, MAX_STDERR_CHARS)));
  let failure: Error | undefined;
  count.once('error', (error) => (failure = error));
  const signal = await new Promise<string | null>((resolve) => count.once('close', (_, by) => resolve(by)));
  if (failure !== undefined) throw failure;
  const total = /^(\d+)\t/.exec(printed)?.[1];
  // The exit status is also 1 when entries vanish during the count; the total is printed all the same.
  if (total !== undefined) return Number(total);
  if (signal === null && /No such file or directory/.test(complaint)) return 0;
  throw new Error(`the room that a folder takes could not be counted: ${signal ?? complaint.trim()}`);
}
