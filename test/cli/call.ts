import { randomUUID } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { platformWait, type Wait } from '../../client/src/platform.js';
import { readSettings } from '../../cli/src/config.js';
import { openTerminal, type Streams } from '../../cli/src/output/terminal.js';
import { runProgram } from '../../cli/src/program.js';
import { COMMANDS } from '../../cli/src/table/commands.js';
import type { Called } from './program.js';

/** Calls the program in this process, with these words and variables alone. A process of its own takes half a second of a processor. */
export async function callCli(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
  {
    input = '',
    signal = new AbortController().signal,
    wait = platformWait,
  }: { input?: string; signal?: AbortSignal; wait?: Wait } = {},
): Promise<Called> {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const printed = { stdout: '', stderr: '' };
  stdout.on('data', (chunk: Buffer) => (printed.stdout += chunk.toString()));
  stderr.on('data', (chunk: Buffer) => (printed.stderr += chunk.toString()));
  stdin.end(input);
  const status = await runProgram(words, COMMANDS, '1.0.0', {
    settings: readSettings(environment, environment['HOME'] ?? '/'),
    terminal: openTerminal({ stdin, stdout, stderr } as unknown as Streams),
    wait,
    nowMs: () => performance.now(),
    newId: randomUUID,
    signal,
  });
  return { status, ...printed };
}
