import { absolutePath } from '../../files/phone-path.js';
import { runScriptLines } from '../interactive-shell.js';
import { runScript } from '../run-script.js';
import { applyOptions } from '../apply-options.js';
import type { ShellOption } from '../shell-options.js';
import { createChildState } from '../create-child-state.js';
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
  const state = createChildState(call, options);
  const [first, ...rest] = words;
  if (commandText === undefined && first !== undefined)
    return runScript(absolutePath(first, call.cwd), { ...call, args: rest }, options);
  state.scriptName = first ?? 'sh';
  state.positional = rest;
  const shell = call.startShell(state);
  const streams = { ...call };
  return commandText === undefined ? runScriptLines(shell, streams) : shell.runToEnd(commandText, streams);
};
