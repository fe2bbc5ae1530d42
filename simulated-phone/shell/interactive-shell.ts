import { linkAborts } from '../linked-abort.js';
import { parseScript } from './grammar/parse-script.js';
import { ShellSyntaxError } from './grammar/syntax-tree.js';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { readLine } from './read-line.js';
import type { Streams } from './redirect.js';
import type { Shell } from './shell.js';
import type { Terminal } from './terminal.js';

/** A shell on a terminal: one command when there is one, else a prompt until `exit` or Ctrl-D. Returns the exit status. */
export async function runInteractive(shell: Shell, terminal: Terminal, command: string): Promise<number> {
  const streams = { stdin: terminal, stdout: terminal, stderr: terminal };
  if (command !== '') return runForeground(shell, terminal, command);
  const prompt = (): string => `${shell.machine.identity.name}:${shell.state.cwd} $ `;
  terminal.onInterrupt = () => void terminal.write(prompt()).catch(ignoreBrokenPipe);
  return readAndRun(shell, streams, {
    prompt: (isMore) => terminal.write(isMore ? '> ' : prompt()),
    run: async (script) => {
      const atPrompt = terminal.onInterrupt;
      const status = await runForeground(shell, terminal, script);
      terminal.onInterrupt = atPrompt;
      return status;
    },
  });
}

/** A shell that reads its commands from a pipe: `echo ls | adb shell`. */
export function runScriptLines(shell: Shell, streams: Streams): Promise<number> {
  return readAndRun(shell, streams, {
    prompt: async () => undefined,
    run: (script) => shell.run(script, streams),
  });
}

/** Ctrl-C ends the command, not the shell. */
async function runForeground(shell: Shell, terminal: Terminal, script: string): Promise<number> {
  const interrupted = linkAborts([shell.signal]);
  terminal.onInterrupt = () => interrupted.abort();
  const streams = { stdin: terminal, stdout: terminal, stderr: terminal };
  const job = shell.start(shell.state, interrupted.signal);
  const status = await job.run(script, streams);
  interrupted.unlink();
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
    const line = await readLine(streams.stdin);
    if (line === undefined) {
      if (script !== '') await run(script);
      break;
    }
    script += `${line}\n`;
    if (needsMore(script)) continue;
    const text = script;
    script = '';
    await run(text);
    if (shell.state.exited) break;
  }
  return shell.state.lastStatus;
}

function needsMore(script: string): boolean {
  try {
    parseScript(script);
    return false;
  } catch (error) {
    return error instanceof ShellSyntaxError && error.isIncomplete;
  }
}

function ignoreBrokenPipe(error: unknown): void {
  if (!(error instanceof BrokenPipe)) throw error;
}
