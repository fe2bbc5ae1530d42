import { complain } from '../complain.js';
import { refuse, type BuiltinCall } from './builtin.js';

/** `getopts OPTIONS NAME [ARGUMENT...]` reads the next option of the arguments. It returns 1 when there is none. */
export async function getopts(call: BuiltinCall): Promise<number> {
  const { shell, args, streams } = call;
  const { state } = shell;
  const [accepted, name, ...given] = args;
  if (accepted === undefined || name === undefined) return refuse(call, 'name: missing argument');
  if (!/^[A-Za-z_]\w*$/.test(name)) return refuse(call, `${name}: not an identifier`);
  const words = given.length > 0 ? given : state.positional;
  const index = Math.max(1, Math.trunc(Number(state.variables.get('OPTIND') ?? 1)) || 1);
  // The position in a word such as `-abc` at which the last call stopped. If OPTIND now names another word, reading begins at its front.
  const at = state.optionAt.index === index ? state.optionAt.char : 1;
  const word = words[index - 1];
  const moveTo = (next: { index: number; char: number }): void => {
    state.optionAt = next;
    state.variables.set('OPTIND', String(next.index));
  };
  state.variables.delete('OPTARG');
  if (word === undefined || !/^-./.test(word) || word === '--') {
    moveTo({ index: word === '--' ? index + 1 : index, char: 1 });
    state.variables.set(name, '?');
    return 1;
  }
  const isSilent = accepted.startsWith(':');
  const letter = word[at] ?? '';
  const found = letter === ':' ? -1 : accepted.indexOf(letter, isSilent ? 1 : 0);
  const behind = at + 1 < word.length ? { index, char: at + 1 } : { index: index + 1, char: 1 };
  const fail = async (status: string, message: string): Promise<number> => {
    state.variables.set(name, isSilent ? status : '?');
    if (isSilent) state.variables.set('OPTARG', letter);
    else await complain(streams, `${state.scriptName}: -${letter}: ${message}\n`, 0);
    return 0;
  };
  if (found < 0) {
    moveTo(behind);
    return fail('?', 'unknown option');
  }
  if (accepted[found + 1] === ':') {
    const attached = word.slice(at + 1);
    const value = attached !== '' ? attached : words[index];
    moveTo({ index: index + (attached !== '' || value === undefined ? 1 : 2), char: 1 });
    if (value === undefined) return fail(':', 'argument expected');
    state.variables.set('OPTARG', value);
  } else moveTo(behind);
  state.variables.set(name, letter);
  return 0;
}
