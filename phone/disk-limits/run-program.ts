import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** How long a program may take, ms. The longest is one walk over all files of a phone. */
const PROGRAM_MS = 240_000;
/** Most bytes that are read of a program's output. A report of quotas has some 100 bytes for each project of the file system. */
const MAX_OUTPUT_BYTES = 32 * 1024 * 1024;
/** Most characters of the program's standard error in the text of a failure. */
const MAX_STDERR_CHARS = 500;

/** Runs a program with its output in the words of the locale C, and returns that. Throws an error with the program's own reason. */
export async function runProgram(program: string, words: readonly string[]): Promise<string> {
  const limits = { timeout: PROGRAM_MS, killSignal: 'SIGKILL', maxBuffer: MAX_OUTPUT_BYTES } as const;
  const env = { LC_ALL: 'C', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  try {
    return (await promisify(execFile)(program, [...words], { ...limits, env })).stdout;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new Error(`the program ${program} is missing`, { cause: error });
    const reason = stderr
      .trim()
      .replaceAll(/\s*\n\s*/g, ' ')
      .slice(0, MAX_STDERR_CHARS);
    throw new Error(`${program} failed: ${reason === '' ? String(error) : reason}`, { cause: error });
  }
}
