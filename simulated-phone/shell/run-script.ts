import type { CommandCall } from './command.js';
import { readScript } from './read-script.js';
import type { ShellOption } from './shell-options.js';
import { createChildState } from './create-child-state.js';

/** Runs a file as a script in a shell of its own. A pushed file that is executed is run as a script too. */
export async function runScript(path: string, call: CommandCall, options: Iterable<ShellOption> = []): Promise<number> {
  const text = await readScript(call.machine.shellFiles, path);
  const state = createChildState(call, options);
  state.positional = [...call.args];
  state.scriptName = path;
  return call.startShell(state).runToEnd(text, { ...call });
}
