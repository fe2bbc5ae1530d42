import type { Machine } from '../../simulated-phone/machine.js';
import { createShellState } from '../../simulated-phone/shell/create-shell-state.js';
import { Interpreter } from '../../simulated-phone/shell/interpreter.js';
import { Gathered, Pipe } from '../../simulated-phone/shell/pipe.js';

/** Runs a script on a phone without ADB in between. For tests. */
export async function runScript(
  machine: Machine,
  script: string,
  options: { stdin?: string | Buffer; signal?: AbortSignal } = {},
): Promise<{ status: number; stdout: string; stderr: string; bytes: Buffer }> {
  const stdin = new Pipe();
  if (options.stdin !== undefined) void stdin.write(options.stdin);
  stdin.end();
  const stdout = new Gathered(256 * 1024 * 1024);
  const stderr = new Gathered();
  const signal = options.signal ?? new AbortController().signal;
  const shell = new Interpreter({ machine, state: createShellState(machine, machine.memory.reserve()), signal });
  const status = await shell.run(script, { stdin, stdout, stderr });
  return { status, stdout: stdout.text(), stderr: stderr.text(), bytes: stdout.bytes() };
}
