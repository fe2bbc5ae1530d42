import { applyOptions } from './apply-options.js';
import { BrokenPipe } from '../../phone/adb/device/broken-pipe.js';
import { PhoneFileError } from '../files/file-error.js';
import { absolutePath } from '../files/phone-path.js';
import { complain } from './complain.js';
import { COMMANDS } from './commands/command-table.js';
import { parseScript } from './grammar/parse-script.js';
import { readLine } from './read-line.js';
import { readScript } from './read-script.js';
import type { Streams } from './redirect.js';
import { runProgram } from './run-program.js';
import type { Shell } from './shell.js';

/** A command that works on the shell itself. */
export type Builtin = (call: BuiltinCall) => Promise<number>;

interface BuiltinCall {
  shell: Shell;
  args: readonly string[];
  streams: Streams;
  signal: AbortSignal;
}

/** Thrown by `exit`, caught where the shell began. */
export class ShellExit extends Error {
  override name = 'ShellExit';
  readonly status: number;

  constructor(status: number) {
    super(`exit ${status}`);
    this.status = status;
  }
}

/** Thrown by `return`, caught where the function or the sourced script was called. */
export class FunctionReturn extends Error {
  override name = 'FunctionReturn';

  constructor(readonly status: number) {
    super(`return ${status}`);
  }
}

/** Thrown by `break` and `continue`, caught by the loop. */
export class LoopExit extends Error {
  override name = 'LoopExit';

  constructor(
    readonly kind: 'break' | 'continue',
    readonly levels: number,
  ) {
    super(kind);
  }
}

const names: Record<string, Builtin> = {
  ':': async () => 0,
  cd: async ({ shell, args, streams }) => {
    const { state } = shell;
    const path = absolutePath(args[0] === '-' ? state.variable('OLDPWD') || '/' : (args[0] ?? '/'), state.cwd);
    try {
      const real = await shell.machine.shellFiles.stat(path);
      if (real.kind !== 'directory') throw new PhoneFileError('ENOTDIR', path);
      state.variables.set('OLDPWD', state.cwd);
      state.cwd = path;
      if (args[0] === '-') await streams.stdout.write(`${path}\n`);
      return 0;
    } catch (error) {
      if (!(error instanceof PhoneFileError)) throw error;
      return complain(streams, `/system/bin/sh: cd: ${args[0] ?? ''}: ${error.reason}\n`, 2);
    }
  },
  exit: async ({ shell, args }) => {
    throw new ShellExit(args[0] === undefined ? shell.state.lastStatus : Number(args[0]) & 0xff);
  },
  exec: async ({ shell, args, streams, signal }) => {
    if (args.length === 0) return 0;
    throw new ShellExit(await runProgram(shell, args, streams, signal, []));
  },
  export: async ({ shell, args }) => {
    for (const argument of args) {
      const [name = '', ...value] = argument.split('=');
      if (value.length > 0) shell.state.variables.set(name, value.join('='));
      shell.state.exported.add(name);
    }
    return 0;
  },
  return: async ({ shell, args }) => {
    throw new FunctionReturn(args[0] === undefined ? shell.state.lastStatus : Number(args[0]) & 0xff);
  },
  local: async ({ shell, args, streams }) => {
    for (const argument of args) {
      const [name = '', ...value] = argument.split('=');
      if (!shell.state.makeLocal(name)) return complain(streams, '/system/bin/sh: local: not in a function\n', 1);
      shell.state.variables.set(name, value.join('='));
    }
    return 0;
  },
  unset: async ({ shell, args }) => {
    if (args[0] === '-f') for (const name of args.slice(1)) shell.state.undefine(name);
    else
      for (const name of args.filter((word) => word !== '-v')) {
        shell.state.variables.delete(name);
        shell.state.exported.delete(name);
      }
    return 0;
  },
  set: async ({ shell, args, streams }) => {
    if (args.length === 0)
      for (const [name, value] of shell.state.variables) await streams.stdout.write(`${name}=${value}\n`);
    const words = applyOptions(shell.state.options, args);
    if (words !== undefined) shell.state.positional = words;
    return 0;
  },
  shift: async ({ shell, args }) => {
    shell.state.positional.splice(0, Number(args[0] ?? 1));
    return 0;
  },
  read: async ({ shell, args, streams }) => {
    const line = await readLine(streams.stdin);
    if (line === undefined) return 1;
    const variables = args.filter((argument) => !argument.startsWith('-'));
    const values = line.trim().split(/[ \t]+/);
    variables.forEach((name, index) => {
      const isLast = index === variables.length - 1;
      shell.state.variables.set(name, (isLast ? values.slice(index).join(' ') : values[index]) ?? '');
    });
    return 0;
  },
  eval: async ({ shell, args, streams, signal }) => shell.evaluate(parseScript(args.join(' ')), streams, signal),
  '.': async ({ shell, args, streams, signal }) => {
    try {
      const path = absolutePath(args[0] ?? '', shell.state.cwd);
      return await shell.evaluate(parseScript(await readScript(shell.machine.shellFiles, path)), streams, signal);
    } catch (error) {
      if (error instanceof FunctionReturn) return error.status;
      if (!(error instanceof PhoneFileError)) throw error;
      return complain(streams, `/system/bin/sh: .: ${args[0] ?? ''}: ${error.reason}\n`, 1);
    }
  },
  break: async ({ args }) => {
    throw new LoopExit('break', Number(args[0] ?? 1));
  },
  continue: async ({ args }) => {
    throw new LoopExit('continue', Number(args[0] ?? 1));
  },
  command: async ({ shell, args, streams, signal }) => {
    if (args[0] === '-v' || args[0] === '-V') return locate(shell, args.slice(1), streams);
    return runProgram(shell, args, streams, signal);
  },
  type: async ({ shell, args, streams }) => locate(shell, args, streams),
  trap: async () => 0,
  umask: async ({ streams, args }) => {
    if (args.length === 0) await streams.stdout.write('0077\n');
    return 0;
  },
  wait: async ({ shell, args, signal }) => {
    const jobs =
      args.length === 0 ? [...shell.state.jobs.values()] : args.map((pid) => shell.state.jobs.get(Number(pid)));
    const statuses = Promise.all(jobs.map((job) => job ?? Promise.resolve(127)));
    const stop = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new BrokenPipe('ended')), { once: true });
    });
    const ended = await Promise.race([statuses, stop]);
    return args.length === 0 ? 0 : (ended.at(-1) ?? 0);
  },
  alias: async () => 0,
};

/** Commands that the shell runs itself. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map(Object.entries(names));

async function locate(shell: Shell, programs: readonly string[], streams: Streams): Promise<number> {
  let status = 0;
  for (const name of programs) {
    if (shell.state.function(name) || BUILTINS.has(name)) await streams.stdout.write(`${name}\n`);
    else if (COMMANDS.has(name)) await streams.stdout.write(`/system/bin/${name}\n`);
    else status = 1;
  }
  return status;
}
