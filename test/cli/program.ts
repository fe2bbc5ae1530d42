import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { MARK } from '../../testing/run-guard/processes.js';
import { ROOT } from '../clients/mcp-world.js';

/** The program, as its command starts it. */
export const CLI_MAIN = join(ROOT, 'cli', 'cloudphone.mjs');

/** A call of the program that has ended. */
export interface Called {
  status: number;
  stdout: string;
  stderr: string;
}

/** A call of the program that runs. */
export interface Calling {
  child: ChildProcess;
  stdout: () => string;
  stderr: () => string;
  ended: Promise<Called>;
}

/** Starts the program with these words and, beside PATH, these variables alone. `input` is its standard input; absent: empty. */
export function startCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  { input = '', program = CLI_MAIN, cwd = ROOT }: { input?: string; program?: string; cwd?: string } = {},
): Calling {
  const { PATH = '' } = process.env;
  // The mark of the run guard is passed on, so that a process that is left behind is found.
  const { [MARK]: mark } = process.env;
  const child = spawn(process.execPath, [program, ...words], {
    cwd,
    env: { ...(mark !== undefined && { [MARK]: mark }), PATH, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<Called>((resolve) => {
    child.once('close', (status) => resolve({ status: status ?? -1, stdout, stderr }));
  });
  return { child, stdout: () => stdout, stderr: () => stderr, ended };
}
