import { CommandFailure, type Command, print } from '../command.js';
import type { Process } from '../../process/process-table.js';
import { parseOptions } from '../options.js';
import { posixPattern } from '../posix-pattern.js';

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
  // Without -A a shell sees its own; older Androids showed everything to a plain `ps`.
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

export const kill: Command = async ({ args, machine, stderr, stdout }) => {
  if (args[0] === '-l') {
    return print(stdout, '1) HUP 2) INT 3) QUIT 9) KILL 15) TERM\n');
  }
  const words = args[0] === '-s' ? args.slice(2) : args.filter((word) => !word.startsWith('-'));
  const isProbe = args[0] === '-0';
  let status = 0;
  for (const word of words) {
    const pid = Number(word);
    const exists = machine.processes.list().some((process) => process.pid === pid);
    const outcome = isProbe && exists ? 'killed' : machine.processes.kill(pid);
    if (outcome === 'killed') continue;
    await stderr.write(`/system/bin/sh: kill: ${word}: ${outcome === 'absent' ? 'No such process' : 'Operation not permitted'}\n`); // prettier-ignore
    status = 1;
  }
  return status;
};

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
