import type { CommandCall } from './command.js';
import { readScript } from './read-script.js';
import type { ShellOption } from './shell-options.js';
import { ShellState } from './shell-state.js';

/** Runs a file as a script in a shell of its own; an executed file that was pushed is treated as one. */
export async function runScript(path: string, call: CommandCall, options: Iterable<ShellOption> = []): Promise<number> {
  const text = await readScript(call.machine.shellFiles, path);
  const state = new ShellState({ pid: call.pid, memory: call.memory, variables: call.environment, options });
  state.cwd = call.cwd;
  state.positional = [...call.args];
  state.scriptName = path;
  return call.startShell(state).run(text, call);
}
