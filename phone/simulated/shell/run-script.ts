import type { CommandCall } from './command.js';
import { readScript } from './read-script.js';
import { ShellState } from './shell-state.js';

/** Runs a file as a script in a shell of its own; an executed file that was pushed is treated as one. */
export async function runScript(path: string, call: CommandCall): Promise<number> {
  const text = await readScript(call.machine.shellFiles, path);
  const state = new ShellState({ pid: call.pid, memory: call.memory, variables: call.environment });
  state.cwd = call.cwd;
  state.positional = [...call.args];
  state.scriptName = path;
  return call.startShell(state).run(text, call);
}
