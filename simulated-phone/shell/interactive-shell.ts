import type { ByteSource } from '../streams/pipe.js';
import { checkScript } from './grammar/parse-script.js';
import { ShellSyntaxError } from './grammar/syntax-tree.js';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { SIGINT } from './signals.js';
import { Cancellation, unlessAborted } from '../../kit/async/within.js';
import type { Streams } from './redirect.js';
import type { Shell } from './shell.js';
import type { Terminal } from './terminal.js';

/** Runs a shell on a terminal. It runs one command when there is one, else it prompts until `exit` or Ctrl-D. Returns the exit status. */
export async function runInteractive(shell: Shell, terminal: Terminal, command: string): Promise<number> {
  const streams: Streams = { stdin: terminal, stdout: terminal, stderr: terminal };
  if (command !== '') {
    await runForeground(shell, { terminal, streams }, command);
    return shell.end(streams);
  }
  const prompt = (): string => `${shell.machine.identity.name}:${shell.state.cwd} $ `;
  terminal.onInterrupt = () => void terminal.write(prompt()).catch(ignoreBrokenPipe);
  return readAndRun(shell, streams, {
    prompt: (isMore) => terminal.write(isMore ? '> ' : prompt()),
    run: async (script) => {
      const atPrompt = terminal.onInterrupt;
      const status = await runForeground(shell, { terminal, streams }, script);
      terminal.onInterrupt = atPrompt;
      return status;
    },
  });
}

/** Runs a shell that reads its commands from a pipe: `echo ls | adb shell`. */
export function runScriptLines(shell: Shell, streams: Streams): Promise<number> {
  return readAndRun(shell, streams, {
    prompt: async () => undefined,
    run: async (script) => {
      const status = await shell.run(script, streams);
      // A shell that reads from a pipe ends at such an error, as nobody sees it and decides to go on.
      if (shell.state.failed) shell.state.exited = true;
      return status;
    },
  });
}

/** Runs a command. Ctrl-C ends the command, not the shell. When the shell has a trap for Ctrl-C, only the command's programs end. */
async function runForeground(
  shell: Shell,
  { terminal, streams }: { terminal: Terminal; streams: Streams },
  script: string,
): Promise<number> {
  const interrupted = new Cancellation([shell.signal]);
  const { state, machine } = shell;
  terminal.onInterrupt = () => {
    if (!state.traps.receive(SIGINT)) {
      interrupted.abort();
      return;
    }
    for (const { pid, parent } of machine.processes.list())
      if (parent === state.pid && !state.jobs.has(pid)) machine.processes.kill(pid, SIGINT);
  };
  const job = shell.start(shell.state, interrupted.signal);
  const status = await job.run(script, streams);
  interrupted.end();
  return interrupted.signal.aborted ? (shell.state.lastStatus = 130) : status;
}

interface LineLoop {
  prompt: (isMore: boolean) => Promise<void>;
  run: (script: string) => Promise<number>;
}

async function readAndRun(shell: Shell, streams: Streams, { prompt, run }: LineLoop): Promise<number> {
  let script = '';
  while (!shell.signal.aborted) {
    try {
      await prompt(script !== '');
    } catch (error) {
      ignoreBrokenPipe(error);
      break;
    }
    const line = await nextLine(shell, streams);
    if (line === undefined) {
      if (script !== '') await run(script);
      break;
    }
    script += `${line}\n`;
    if (needsMore(script, shell.state.aliases)) continue;
    const text = script;
    script = '';
    await run(text);
    if (shell.state.exited) break;
  }
  return shell.end(streams);
}

/** Reads the next line of the input; undefined at its end, and when the shell is killed. */
async function nextLine(shell: Shell, streams: Streams): Promise<string | undefined> {
  try {
    return await unlessAborted(shell.signal, readLine(streams.stdin));
  } catch (error) {
    if (shell.signal.aborted) return undefined;
    throw error;
  }
}

function needsMore(script: string, aliases: ReadonlyMap<string, string>): boolean {
  try {
    checkScript(script, aliases);
    return false;
  } catch (error) {
    return error instanceof ShellSyntaxError && error.isIncomplete;
  }
}

function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof BrokenPipe)) throw error;
}

/** Reads the next line, without its end; the bytes after it are put back. A line of more than 1 MiB comes in pieces. Undefined at the end. */
async function readLine(source: ByteSource): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for (let piece = await source.read(); piece; piece = await source.read()) {
    const end = piece.indexOf(10);
    if (end < 0) {
      parts.push(piece);
      bytes += piece.length;
      if (bytes >= MAX_LINE_BYTES) break;
      continue;
    }
    parts.push(piece.subarray(0, end));
    if (end + 1 < piece.length) source.unread?.(piece.subarray(end + 1));
    return Buffer.concat(parts).toString('utf8');
  }
  return parts.length === 0 ? undefined : Buffer.concat(parts).toString('utf8');
}

const MAX_LINE_BYTES = 1024 * 1024;
