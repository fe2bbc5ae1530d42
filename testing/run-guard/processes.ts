import { readdirSync, readFileSync } from 'node:fs';

/** The variable that the processes of one run of the tests have in their environment. */
export const MARK = 'CLOUDPHONE_TEST_RUN';

/**
 * The DNS server of Podman's networks. One process serves all networks of the machine. The first network to need it starts it, and it ends
 * with the last one, which another user may have. An engine that was killed leaves entries with which it never ends.
 */
const SERVES_MACHINE = /^\S*\/aardvark-dns /;

/**
 * Returns the ids of the processes with this mark, without this process and without what serves the whole machine. It finds only processes
 * that this user may read. Linux only.
 */
export function markedBy(mark: string): number[] {
  const entry = `${MARK}=${mark}`;
  const pids = readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid);
  return pids.filter((pid) => read(pid, 'environ').split('\0').includes(entry) && !SERVES_MACHINE.test(lineOf(pid)));
}

/** The command line of a process; empty when it has ended. */
export function lineOf(pid: number): string {
  return read(pid, 'cmdline').replaceAll('\0', ' ').trim();
}

/**
 * Returns the parent of a process, and the time of its start. The time differs from that of a later process with the same id. Undefined
 * when the process has ended.
 */
export function originOf(pid: number): { parent: number; started: string } | undefined {
  // The fields follow the program's name, which may have any character in it.
  const fields = read(pid, 'stat').split(') ').at(-1)?.split(' ') ?? [];
  const [state = '', parent = ''] = fields;
  if (state === '' || state === 'Z') return undefined;
  return { parent: Number(parent), started: fields[19] ?? '' };
}

/** Returns a file of a process. Empty when the process has ended, or belongs to another user. */
function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
