import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';
import type { Wait } from '../../../client/src/platform.js';
import { statusOfChild } from '../adb/adb-program.js';
import { begunAhead } from '../service/begun-ahead.js';
import { Interrupted, STATUS } from '../output/failure.js';

/** The program of a run, for one phone. */
export interface UserProgram {
  command: readonly string[];
  environment: NodeJS.ProcessEnv;
  /** Put in front of each line of its output. Absent: the program has the streams of this process. */
  prefix?: string;
  /** After this time the program is ended, and its status is 124. Absent: it may take any time. */
  timeoutMs?: number;
  /** Whether Ctrl-C reaches the program from the terminal. Else it is started in a group of its own, which is ended as a whole. */
  isInForeground: boolean;
}

/** Time between the request to end and the end by force, ms. */
const GRACE_MS = 5_000;

/** The longest line that is kept back until its end comes. */
const MAX_LINE_CHARS = 64 * 1024;

const SIGINT_STATUS = 130;

/** Statuses of shells for programs that are not there, or are no programs. */
const NOT_FOUND_STATUS = 127;
const NOT_A_PROGRAM_STATUS = 126;

/** Runs the program until it ends, and returns its status. The signal ends it: first by request, then by force. */
export async function runUserProgram(
  program: UserProgram,
  { wait, signal, output, errors }: { wait: Wait; signal: AbortSignal; output: Writable; errors: Writable },
): Promise<number> {
  const { command, environment, prefix, timeoutMs, isInForeground } = program;
  const [file = '', ...words] = command;
  const child = spawn(file, words, {
    env: environment,
    stdio: prefix === undefined ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    detached: !isInForeground,
  });
  const printed = begunAhead(
    Promise.all([
      child.stdout === null ? undefined : prefixLines(child.stdout, output, prefix ?? ''),
      child.stderr === null ? undefined : prefixLines(child.stderr, errors, prefix ?? ''),
    ]),
  );
  const over = new AbortController();
  const limit = { isReached: false };
  const end = (hasNotice: boolean): void => void endProgram(child, { isInForeground, hasNotice }, wait, over.signal);
  // The terminal has sent Ctrl-C to a program in the foreground as well. It is not hurried by a second signal.
  const onAbort = (): void =>
    end(isInForeground && signal.reason instanceof Interrupted && signal.reason.status === SIGINT_STATUS);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  if (timeoutMs !== undefined)
    wait(timeoutMs, over.signal).then(
      () => {
        limit.isReached = true;
        end(false);
      },
      () => undefined,
    );
  try {
    const status = await statusOfChild(child);
    // What the program's own children still print is not waited for.
    await Promise.race([printed, wait(GRACE_MS, over.signal).catch(() => undefined)]);
    return limit.isReached ? STATUS.timeUp : status;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    errors.write(`cloudphone: ${file} cannot be run: ${error instanceof Error ? error.message : String(error)}\n`);
    return code === 'ENOENT' ? NOT_FOUND_STATUS : NOT_A_PROGRAM_STATUS;
  } finally {
    signal.removeEventListener('abort', onAbort);
    over.abort();
  }
}

/** Ends a program by SIGTERM, and after a time by SIGKILL. */
async function endProgram(
  child: ChildProcess,
  { isInForeground, hasNotice }: { isInForeground: boolean; hasNotice: boolean },
  wait: Wait,
  signal: AbortSignal,
): Promise<void> {
  if (!hasNotice) send(child, isInForeground, 'SIGTERM');
  try {
    await wait(GRACE_MS, signal);
  } catch {
    // It has ended in time.
    return;
  }
  send(child, isInForeground, 'SIGKILL');
}

function send(child: ChildProcess, isInForeground: boolean, name: NodeJS.Signals): void {
  if (child.pid === undefined) return;
  try {
    process.kill(isInForeground ? child.pid : -child.pid, name);
  } catch {
    // It has ended between the decision and the signal.
  }
}

/** Copies lines to a stream, each behind the prefix. Resolves at the end of the source. */
async function prefixLines(source: Readable, target: Writable, prefix: string): Promise<void> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of source) {
    const lines = (rest + decoder.write(chunk as Buffer)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) target.write(`${prefix}${line}\n`);
    if (rest.length > MAX_LINE_CHARS) {
      target.write(`${prefix}${rest}\n`);
      rest = '';
    }
  }
  if (rest !== '') target.write(`${prefix}${rest}\n`);
}
