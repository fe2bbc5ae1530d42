import { CommandFailure, type Command, print } from '../command.js';
import type { Process } from '../../process/process-table.js';
import { parseOptions } from '../options.js';
import type { ByteSink } from '../../streams/pipe.js';
import { posixPattern } from '../posix-pattern.js';
import { SIGNALS, STOPPING, signalNumber } from '../signals.js';

const HELP = `usage: ps [-AadefLlnwZ] [-gG GROUP,] [-k FIELD,] [-o FIELD,] [-p PID,] [-t TTY,] [-uU USER,]

List processes.

Which processes to show (-gGuUpPt selections may be comma separated lists):

-A	All
-a	Has terminal not session leader
-d	All but session leaders
-e	Synonym for -A
-p	PIDs (--pid)
`;

const COLUMNS: Record<string, { head: string; value: (process: Process) => string; width: number; left?: boolean }> = {
  USER: { head: 'USER', value: ({ user }) => user, width: 12, left: true },
  PID: { head: 'PID', value: ({ pid }) => String(pid), width: 6 },
  PPID: { head: 'PPID', value: ({ parent }) => String(parent), width: 6 },
  VSZ: { head: 'VSZ', value: ({ memoryKb }) => String(memoryKb * 40), width: 8 },
  RSS: { head: 'RSS', value: ({ memoryKb }) => String(memoryKb), width: 7 },
  WCHAN: { head: 'WCHAN', value: () => '0', width: 10, left: true },
  ADDR: { head: 'ADDR', value: () => '0', width: 8 },
  S: { head: 'S', value: () => 'S', width: 1, left: true },
  NAME: { head: 'NAME', value: ({ name }) => name, width: 1, left: true },
  ARGS: { head: 'ARGS', value: ({ name }) => name, width: 1, left: true },
  CMD: { head: 'CMD', value: ({ name }) => name, width: 1, left: true },
  COMM: { head: 'COMM', value: ({ name }) => name.slice(0, 15), width: 1, left: true },
  UID: { head: 'UID', value: ({ user }) => (user === 'root' ? '0' : user === 'shell' ? '2000' : user), width: 6 },
};
const DEFAULT_COLUMNS = ['USER', 'PID', 'PPID', 'VSZ', 'RSS', 'WCHAN', 'ADDR', 'S', 'NAME'];

export const ps: Command = async ({ args, machine, stdout, pid }) => {
  if (args.includes('--help')) {
    return print(stdout, HELP);
  }
  const options = parseOptions(args, { flags: ['A', 'e', 'f', 'l', 'w', 'T', 'Z'], values: ['o', 'p', 'u', 'k'] });
  const all = machine.processes.list();
  let shown = all;
  const pids = options.value('p') ?? options.rest.find((word) => /^\d+$/.test(word));
  const user = options.value('u');
  if (pids !== undefined) shown = all.filter((process) => pids.split(',').includes(String(process.pid)));
  else if (user !== undefined) shown = all.filter((process) => process.user === user);
  // Without -A a shell sees its own processes; a plain `ps` of older Androids showed all.
  else if (!options.has('A') && !options.has('e')) shown = all.filter((process) => process.user === 'shell' || process.pid === pid); // prettier-ignore
  const names = options.values('o').flatMap((list) => list.split(',')).map((name) => (name.split('=')[0] ?? '').toUpperCase()); // prettier-ignore
  const columns = (names.length > 0 ? names : DEFAULT_COLUMNS).map((name) => {
    const column = Object.hasOwn(COLUMNS, name) ? COLUMNS[name] : undefined;
    if (!column) throw new CommandFailure(`bad -o ${name}`);
    return column;
  });
  const cell = (text: string, at: number): string => {
    const column = columns[at];
    if (!column || at === columns.length - 1) return text;
    return column.left ? text.padEnd(column.width) : text.padStart(column.width);
  };
  const rows = [columns.map(({ head }) => head), ...shown.map((process) => columns.map(({ value }) => value(process)))];
  await stdout.write(rows.map((row) => `${row.map(cell).join(' ')}\n`).join(''));
  return shown.length > 0 ? 0 : 1;
};

export const pidof: Command = async ({ args, machine, stdout }) => {
  const options = parseOptions(args, { flags: ['s', 'x'], values: ['o'] });
  const found = machine.processes.list().filter(({ name }) => options.rest.includes(name));
  const pids = found.map(({ pid }) => pid).reverse();
  if (pids.length === 0) return 1;
  return print(stdout, `${(options.has('s') ? pids.slice(0, 1) : pids).join(' ')}\n`);
};

export const pgrep: Command = async ({ args, machine, stdout, pid: own }) => {
  const options = parseOptions(args, { flags: ['f', 'l', 'x', 'n', 'o'], values: ['u'] });
  const pattern = posixPattern(options.rest[0] ?? '', { extended: true });
  const found = machine.processes.list().filter(({ name, pid }) => pid !== own && pattern.test(name));
  for (const { pid, name } of found) await stdout.write(options.has('l') ? `${pid} ${name}\n` : `${pid}\n`);
  return found.length > 0 ? 0 : 1;
};

/** `kill [-SIGNAL | -s SIGNAL] PID...`, `kill -l [STATUS...]` */
export const kill: Command = async ({ args, machine, stderr, stdout }) => {
  const fail = async (text: string): Promise<1> => {
    await stderr.write(`/system/bin/sh: kill: ${text}\n`);
    return 1;
  };
  if (args[0] === '-l') return listSignals(args.slice(1), stdout, fail);
  const words = [...args];
  let chosen = 'TERM';
  if (words[0] === '-s' || words[0] === '-n') chosen = words.splice(0, 2)[1] ?? '';
  else if (words[0] !== '--' && /^-./.test(words[0] ?? '')) chosen = (words.shift() ?? '').slice(1);
  if (words[0] === '--') words.shift();
  const signal = signalNumber(chosen);
  if (signal === undefined) return fail(`bad signal: ${chosen}`);
  const name = SIGNALS.get(signal) ?? '';
  if (STOPPING.has(name)) return fail(`${name}: not supported by this phone`);
  if (words.length === 0) {
    await stderr.write(
      'usage:\tkill [-s signame | -signum | -signame] { job | pid | pgrp } ...\n\tkill -l [exit_status ...]\n',
    );
    return 1;
  }
  let status = 0;
  for (const word of words) {
    const pid = Number(word);
    const exists = machine.processes.list().some((process) => process.pid === pid);
    if (!/^-?\d+$/.test(word)) status = await fail(`${word}: arguments must be jobs or process IDs`);
    else if (!exists) status = await fail(`${word}: No such process`);
    // A signal without another effect may have a trap.
    else if (signal !== 0 && machine.processes.kill(pid, signal) === 'not-permitted') status = await fail(`${word}: Operation not permitted`); // prettier-ignore
  }
  return status;
};

async function listSignals(
  words: readonly string[],
  stdout: ByteSink,
  fail: (text: string) => Promise<1>,
): Promise<number> {
  if (words.length === 0) return print(stdout, [...SIGNALS].map(([number, name]) => `${number}) ${name}\n`).join(''));
  let status = 0;
  for (const word of words) {
    const number = Number(word) & 0x7f;
    if (/^\d+$/.test(word)) await stdout.write(`${SIGNALS.get(number) ?? number}\n`);
    else status = await fail(`bad number: ${word}`);
  }
  return status;
}

export const top: Command = async ({ args, machine, stdout, signal }) => {
  const options = parseOptions(args, { flags: ['b', 'q', 'm', 'H'], values: ['n', 'd', 'o', 's', 'p'] });
  const rounds = Number(options.value('n') ?? Infinity);
  for (let round = 0; round < rounds && !signal.aborted; round++) {
    if (round > 0) await machine.clock.sleep(Number(options.value('d') ?? 3) * 1_000, signal);
    const processes = machine.processes.list();
    await stdout.write(
      `Tasks: ${processes.length} total,   1 running, ${processes.length - 1} sleeping,   0 stopped,   0 zombie\n` +
        '  PID USER         PR  NI VIRT  RES  SHR S[%CPU] %MEM     TIME+ ARGS\n' +
        processes.map(({ pid, user, memoryKb, name }) => `${String(pid).padStart(5)} ${user.padEnd(12)} 20   0 ${Math.round(memoryKb / 25)}M ${Math.round(memoryKb / 1024)}M   1M S  0.0   ${(memoryKb / 20_480).toFixed(1)}   0:01.00 ${name}\n`).join(''), // prettier-ignore
    );
  }
  return 0;
};
