import type { Machine } from '../../simulated-phone/machine/machine.js';
import { openShell } from '../../simulated-phone/shell/interpreter/open-shell.js';
import { Gathered, Pipe } from '../../simulated-phone/streams/pipe.js';

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
  const memory = machine.memory.reserve();
  const { shell, killed, finished } = openShell(machine, { memory, signal });
  try {
    const status = await Promise.race([shell.runToEnd(script, { stdin, stdout, stderr }), killed]);
    return { status, stdout: stdout.text(), stderr: stderr.text(), bytes: stdout.bytes() };
  } finally {
    finished();
    memory.release();
  }
}
