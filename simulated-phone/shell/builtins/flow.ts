import { PhoneFileError } from '../../files/file-error.js';
import { absolutePath } from '../../files/phone-path.js';
import { readScript } from '../read-script.js';
import { runProgram } from '../commands/run-program.js';
import { FunctionReturn, LoopExit, ShellExit } from '../shell-exits.js';
import { refuse, refuseAndExit, type Builtin, type BuiltinCall } from './builtin.js';

/** `exit`, `return`, `break` and the builtins that run other commands. */
export const FLOW: Readonly<Record<string, Builtin>> = {
  exit: async (call) => {
    throw new ShellExit(await statusWord(call));
  },
  return: async (call) => {
    throw new FunctionReturn(await statusWord(call));
  },
  break: (call) => leaveLoop(call, 'break'),
  continue: (call) => leaveLoop(call, 'continue'),
  exec: async ({ shell, args, streams, signal }) => {
    // The program replaces the shell. The EXIT trap does not run, as the shell itself never exits.
    shell.state.traps.delete('EXIT');
    throw new ShellExit(await runProgram(shell, args, streams, signal, []));
  },
  eval: async ({ shell, args, streams, signal }) => shell.evaluateText(args.join(' '), streams, signal),
  '.': source,
  source,
};

/** Returns the status that `exit` or `return` has as its argument. Without an argument, it returns the status of the latest command. */
async function statusWord(call: BuiltinCall): Promise<number> {
  const [word] = call.args;
  if (word === undefined) return call.shell.state.lastStatus;
  if (!/^[-+]?\d+$/.test(word)) return refuseAndExit(call, `bad number: ${word}`);
  return Number(word) & 0xff;
}

async function leaveLoop(call: BuiltinCall, kind: 'break' | 'continue'): Promise<number> {
  const { loops } = call.shell;
  const wanted = Number(call.args[0] ?? 1);
  if (!Number.isInteger(wanted) || wanted < 1) return refuseAndExit(call, `bad number: ${call.args[0] ?? ''}`);
  if (loops === 0) return refuse(call, `can't ${kind}`, 0);
  if (wanted > loops) await refuse(call, `can only ${kind} ${loops} level(s)`);
  throw new LoopExit(kind, Math.min(wanted, loops));
}

async function source(call: BuiltinCall): Promise<number> {
  const { shell, args, streams, signal } = call;
  const [file, ...words] = args;
  if (file === undefined) return refuseAndExit(call, 'missing argument');
  const { positional } = shell.state;
  try {
    const text = await readScript(shell.machine.shellFiles, absolutePath(file, shell.state.cwd));
    if (words.length > 0) shell.state.positional = words;
    return await shell.evaluateText(text, streams, signal);
  } catch (error) {
    if (error instanceof FunctionReturn) return error.status;
    if (!(error instanceof PhoneFileError)) throw error;
    return await refuseAndExit(call, `${file}: ${error.reason}`);
  } finally {
    if (words.length > 0) shell.state.positional = positional;
  }
}
