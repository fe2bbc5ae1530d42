import type { CommandCall } from './command.js';
import type { ShellOption } from './shell-options.js';
import { ShellState } from './shell-state.js';

/** Makes the state of a fresh shell in the process of a command: `sh`, or a script that was called by its path. */
export function createChildState(call: CommandCall, options: Iterable<ShellOption>): ShellState {
  const { pid, shellPid, memory, machine, environment } = call;
  const state = new ShellState({ pid, parentPid: shellPid, memory, facts: machine, variables: environment, options });
  state.cwd = call.cwd;
  call.catchSignals((signal) => state.traps.receive(signal));
  return state;
}
