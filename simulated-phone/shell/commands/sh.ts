import { absolutePath } from '../../files/phone-path.js';
import { runScriptLines } from '../interactive-shell.js';
import { runScript } from '../run-script.js';
import { applyOptions } from '../apply-options.js';
import type { ShellOption } from '../shell-options.js';
import { ShellState } from '../shell-state.js';
import type { Command } from '../command.js';

/** `sh [-eux] -c TEXT [NAME ARGS...]`, `sh [-eux] FILE [ARGS...]`, or commands from standard input. */
export const sh: Command = async (call) => {
  const words = [...call.args];
  const options = new Set<ShellOption>();
  let commandText: string | undefined;
  while (words[0] !== undefined && /^[-+]./.test(words[0])) {
    const option = words.shift() ?? '';
    const others = option.replace(/[cls]/g, '');
    if (others.length > 1) applyOptions(options, others.endsWith('o') ? [others, words.shift() ?? ''] : [others]);
    if (option.includes('c')) {
      commandText = words.shift() ?? '';
      break;
    }
  }
  const state = new ShellState({ pid: call.pid, memory: call.memory, variables: call.environment, options });
  state.cwd = call.cwd;
  const [first, ...rest] = words;
  if (commandText === undefined && first !== undefined)
    return runScript(absolutePath(first, call.cwd), { ...call, args: rest }, options);
  state.scriptName = first ?? 'sh';
  state.positional = rest;
  const shell = call.startShell(state);
  return commandText === undefined ? runScriptLines(shell, call) : shell.run(commandText, call);
};
