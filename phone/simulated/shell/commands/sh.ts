import { absolutePath } from '../../files/phone-path.js';
import { runScriptLines } from '../interactive-shell.js';
import { runScript } from '../run-script.js';
import { ShellState } from '../shell-state.js';
import type { Command } from '../command.js';

/** `sh -c TEXT [NAME ARGS...]`, `sh FILE [ARGS...]`, or commands from standard input. */
export const sh: Command = async (call) => {
  const words = [...call.args];
  let commandText: string | undefined;
  while (words[0]?.startsWith('-') && words[0].length > 1) {
    const option = words.shift() ?? '';
    if (option.includes('c')) {
      commandText = words.shift() ?? '';
      break;
    }
  }
  const state = new ShellState({ pid: call.pid, memory: call.memory, variables: call.environment });
  state.cwd = call.cwd;
  const [first, ...rest] = words;
  if (commandText === undefined && first !== undefined)
    return runScript(absolutePath(first, call.cwd), { ...call, args: rest });
  state.scriptName = first ?? 'sh';
  state.positional = rest;
  const shell = call.startShell(state);
  return commandText === undefined ? runScriptLines(shell, call) : shell.run(commandText, call);
};
