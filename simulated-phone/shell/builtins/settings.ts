import { CommandFailure } from '../command.js';
import { applyOptions } from '../apply-options.js';
import { quotedForShell } from '../quoted-for-shell.js';
import { OPTION_NAMES } from '../shell-options.js';
import { refuse, type Builtin, type BuiltinCall } from './builtin.js';

/** `set`, `umask`, `ulimit` and `alias`, which change settings of the shell. */
export const SETTINGS: Readonly<Record<string, Builtin>> = {
  set,
  umask,
  ulimit,
  alias,
  unalias: async (call) => {
    const { aliases } = call.shell.state;
    if (call.args[0] === '-a') aliases.clear();
    let status = 0;
    for (const name of call.args) if (name !== '-a' && !aliases.delete(name)) status = 1;
    return status;
  },
};

async function set({ shell, args, streams }: BuiltinCall): Promise<number> {
  const { state } = shell;
  if (args.length === 0)
    for (const name of [...state.variables.keys()].sort())
      await streams.stdout.write(`${name}=${quotedForShell(state.variable(name))}\n`);
  if (args.length === 1 && (args[0] === '-o' || args[0] === '+o')) {
    for (const name of OPTION_NAMES) {
      const isOn = state.options.has(name);
      await streams.stdout.write(args[0] === '-o' ? `${name.padEnd(16)}${isOn ? 'on' : 'off'}\n` : `set ${isOn ? '-' : '+'}o ${name}\n`); // prettier-ignore
    }
    return 0;
  }
  if (args[0] === '-A' || args[0] === '+A') {
    const [, name = '', ...values] = args;
    if (!/^[A-Za-z_]\w*$/.test(name)) throw new CommandFailure(`/system/bin/sh: set: ${name}: not an identifier`, { bare: true }); // prettier-ignore
    state.variables.setArray(name, values[0] === '--' ? values.slice(1) : values, { append: false });
    return 0;
  }
  const words = applyOptions(state.options, args);
  if (words !== undefined) state.positional = words;
  return 0;
}

async function umask(call: BuiltinCall): Promise<number> {
  const { shell, args, streams } = call;
  const { state } = shell;
  const mask = state.umask ?? USUAL_UMASK;
  const [word] = args;
  if (word === undefined || word === '-S') {
    const letters = (shift: number): string =>
      ['r', 'w', 'x'].filter((_, bit) => ((mask >> shift) & (4 >> bit)) === 0).join('');
    await streams.stdout.write(word === '-S' ? `u=${letters(6)},g=${letters(3)},o=${letters(0)}\n` : `${mask.toString(8).padStart(3, '0')}\n`); // prettier-ignore
    return 0;
  }
  const wanted = /^[0-7]{1,4}$/.test(word) ? parseInt(word, 8) & 0o777 : symbolicMask(word, mask);
  if (wanted === undefined) return refuse(call, 'bad number');
  state.umask = wanted;
  return 0;
}

/** The umask of adbd's shell. */
const USUAL_UMASK = 0o077;

/** Parses a mask such as `u=rwx,go=`. */
function symbolicMask(text: string, before: number): number | undefined {
  let mask = before;
  for (const clause of text.split(',')) {
    const match = /^([ugoa]*)([-+=])([rwx]*)$/.exec(clause);
    if (!match) return undefined;
    const [, who = '', operator = '', letters = ''] = match;
    const bits = (letters.includes('r') ? 4 : 0) | (letters.includes('w') ? 2 : 0) | (letters.includes('x') ? 1 : 0);
    for (const [name, shift] of [
      ['u', 6],
      ['g', 3],
      ['o', 0],
    ] as const) {
      if (who !== '' && !who.includes('a') && !who.includes(name)) continue;
      const all = 7 << shift;
      const given = bits << shift;
      if (operator === '=') mask = (mask & ~all) | (all & ~given);
      else if (operator === '+') mask &= ~given;
      else mask |= given;
    }
  }
  return mask;
}

/** The limits by letter, each with its name and its value on this phone. */
const LIMITS: Readonly<Record<string, { name: string; value: string; isKept?: true }>> = {
  t: { name: 'time(cpu-seconds)', value: 'unlimited' },
  f: { name: 'file(blocks)', value: 'unlimited' },
  c: { name: 'coredump(blocks)', value: '0', isKept: true },
  d: { name: 'data(KiB)', value: 'unlimited' },
  s: { name: 'stack(KiB)', value: '8192', isKept: true },
  l: { name: 'lockedmem(KiB)', value: '64' },
  n: { name: 'nofiles(descriptors)', value: '32768', isKept: true },
  p: { name: 'processes', value: '1000' },
  v: { name: 'vmemory(KiB)', value: 'unlimited' },
};

async function ulimit(call: BuiltinCall): Promise<number> {
  const { shell, args, streams } = call;
  const { limits } = shell.state;
  let letter = 'f';
  const words: string[] = [];
  for (const word of args) {
    if (!/^-./.test(word)) words.push(word);
    else for (const option of word.slice(1)) if (option !== 'H' && option !== 'S') letter = option;
  }
  const valueOf = (one: string): string => limits.get(one) ?? LIMITS[one]?.value ?? '';
  if (letter === 'a') {
    for (const [one, { name }] of Object.entries(LIMITS)) await streams.stdout.write(`-${one}: ${name.padEnd(21)}${valueOf(one)}\n`); // prettier-ignore
    return 0;
  }
  const limit = Object.hasOwn(LIMITS, letter) ? LIMITS[letter] : undefined;
  if (!limit) return refuse(call, `-${letter}: unknown option`);
  const [value] = words;
  if (value === undefined) {
    await streams.stdout.write(`${valueOf(letter)}\n`);
    return 0;
  }
  const isNumber = /^\d+$/.test(value);
  if (!isNumber && value !== 'unlimited') return refuse(call, `invalid ${limit.name} limit: ${value}`);
  // Only limits with `isKept` can be changed. A change of another limit is refused rather than ignored.
  if (!limit.isKept && value !== valueOf(letter))
    return refuse(call, `exceeds allowable ${limit.name} limit: unsupported`);
  limits.set(letter, value);
  return 0;
}

async function alias(call: BuiltinCall): Promise<number> {
  const { shell, args, streams } = call;
  const { aliases } = shell.state;
  const words = args.filter((word) => word !== '-t' && word !== '-p');
  if (args.length > 0 && words.length === 0 && args.includes('-t')) return 0;
  let status = 0;
  for (const word of words.length > 0 ? words : [...aliases.keys()].sort()) {
    const [name = '', ...value] = word.split('=');
    if (value.length === 0) {
      const text = aliases.get(name);
      if (text === undefined) status = await refuse(call, `${name} alias not found`);
      else await streams.stdout.write(`${name}=${quotedForShell(text)}\n`);
    } else shell.state.defineAlias(name, value.join('='));
  }
  return status;
}
