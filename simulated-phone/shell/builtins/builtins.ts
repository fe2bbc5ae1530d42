import { PhoneFileError } from '../../files/file-error.js';
import { absolutePath } from '../../files/phone-path.js';
import { runProgram } from '../commands/run-program.js';
import { ArithmeticError } from '../arithmetic.js';
import { refuse, refuseAndExit, type Builtin, type BuiltinCall } from './builtin.js';
import { DECLARE } from './declare.js';
import { FLOW } from './flow.js';
import { getopts } from './getopts.js';
import { locate } from './locate.js';
import { print } from './print.js';
import { read } from './read.js';
import { SETTINGS } from './settings.js';
import { SIGNALLING } from './signals.js';
import { test } from './test.js';

const names: Record<string, Builtin> = {
  ...FLOW,
  ...DECLARE,
  ...SETTINGS,
  ...SIGNALLING,
  ':': async () => 0,
  true: async () => 0,
  false: async () => 1,
  test,
  '[': test,
  read,
  getopts,
  print,
  cd,
  shift: async (call) => {
    const { positional } = call.shell.state;
    const count = call.args[0] === undefined ? 1 : call.shell.state.evaluate(call.args[0]);
    if (count < 0 || count > positional.length) return refuseAndExit(call, 'nothing to shift');
    positional.splice(0, count);
    return 0;
  },
  let: async (call) => {
    if (call.args.length === 0) return refuseAndExit(call, 'missing argument');
    try {
      return call.args.map((expression) => call.shell.state.evaluate(expression)).at(-1) === 0 ? 1 : 0;
    } catch (error) {
      if (error instanceof ArithmeticError) return refuse(call, error.message, 2);
      throw error;
    }
  },
  times: async ({ streams }) => {
    await streams.stdout.write('0m00.00s 0m00.00s\n0m00.00s 0m00.00s\n');
    return 0;
  },
  command: async (call) => {
    const { shell, streams, signal } = call;
    const args = call.args.filter((word, at) => at > 0 || word !== '-p');
    const [first, ...rest] = args;
    if (first === undefined) return 0;
    if (first === '-v' || first === '-V') return locate(call, rest, { verbose: first === '-V', builtins: BUILTINS });
    const builtin = BUILTINS.get(first);
    return builtin ? builtin({ ...call, name: first, args: rest }) : runProgram(shell, args, streams, signal);
  },
  builtin: async (call) => {
    const [first, ...rest] = call.args;
    if (first === undefined) return 0;
    const builtin = BUILTINS.get(first);
    // Some commands that are builtins of Android's shell are programs on this phone.
    if (!builtin && !BUILTINS_ELSEWHERE.has(first)) return refuseAndExit(call, `${first}: not found`);
    return builtin ? builtin({ ...call, name: first, args: rest }) : runProgram(call.shell, call.args, call.streams, call.signal); // prettier-ignore
  },
  type: (call) => locate(call, call.args, { verbose: true, builtins: BUILTINS }),
  whence: (call) => {
    const options = call.args.filter((word) => /^-./.test(word)).join('');
    const words = call.args.filter((word) => !/^-./.test(word));
    return locate(call, words, { verbose: options.includes('v'), builtins: BUILTINS, programsOnly: options.includes('p') }); // prettier-ignore
  },
  fc: (call) => refuse(call, 'history functions not available'),
  suspend: (call) => refuse(call, 'job control not enabled'),
};

/** Commands that the shell runs itself. */
export const BUILTINS: ReadonlyMap<string, Builtin> = new Map(Object.entries(names));

const BUILTINS_ELSEWHERE = new Set(['echo', 'printf', 'pwd', 'sleep', 'cat', 'realpath', 'rename']);

/** Builtins whose arguments of the form `name=value` are assignments: their values are not split. */
export const DECLARING: ReadonlySet<string> = new Set(Object.keys(DECLARE).filter((name) => name !== 'unset'));

/** Special builtins: an assignment in front of one stays in effect after it. */
export const KEEPING_ASSIGNMENTS: ReadonlySet<string> = new Set([
  ...DECLARING, ':', '.', 'source', 'break', 'continue', 'eval', 'exec', 'exit', 'return', 'set', 'shift', 'times', 'trap', 'unset',
]); // prettier-ignore

async function cd(call: BuiltinCall): Promise<number> {
  const { shell, streams } = call;
  const { state } = shell;
  const options = call.args.filter((word) => /^-[A-Za-z]/.test(word));
  const [word, ...others] = call.args.filter((one) => !options.includes(one) && one !== '--');
  const unknown = options.find((option) => !/^-[LP]+$/.test(option));
  if (unknown !== undefined) return refuse(call, `${unknown}: unknown option`, 2);
  if (others.length > 0) return refuse(call, 'too many arguments', 2);
  const to = word === '-' ? state.variables.get('OLDPWD') : (word ?? state.variables.get('HOME'));
  if (to === undefined) return refuse(call, word === '-' ? 'no OLDPWD' : 'no home directory (HOME not set)', 2);
  const path = absolutePath(to, state.cwd);
  try {
    const files = shell.machine.shellFiles;
    const real = await files.stat(path);
    if (real.kind !== 'directory') throw new PhoneFileError('ENOTDIR', path);
    state.variables.set('OLDPWD', state.cwd);
    state.cwd = options.some((option) => option.endsWith('P')) ? await files.realPath(path) : path;
    if (word === '-') await streams.stdout.write(`${path}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof PhoneFileError)) throw error;
    return refuse(call, `${to}: ${error.reason}`, 2);
  }
}
