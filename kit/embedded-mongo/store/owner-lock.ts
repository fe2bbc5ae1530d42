import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type RootDatabase } from 'lmdb';
import { FolderInUseError } from './folder-in-use-error.js';

interface Owner {
  readonly pid: number;
  readonly host: string;
  /** When the process started, so that a process that got the same pid later is not taken for it. Empty where unknown. */
  readonly started: string;
}

/**
 * Makes this process the only one to serve the folder. The owner is written in an LMDB write transaction, which LMDB
 * allows one process at a time: of two that start at once, the second reads what the first wrote. An owner that no longer
 * runs (after kill -9) is replaced. Processes of different pid namespaces (containers that share a volume) cannot see each
 * other; an owner on another host name counts as gone, since a container has a new name each time.
 *
 * @returns releases the folder
 * @throws FolderInUseError
 */
export function takeFolder(environment: RootDatabase<Buffer, Buffer>, directory: string): () => void {
  const table = environment.openDB<Buffer, Buffer>({ name: 'owner', encoding: 'binary', keyEncoding: 'binary' });
  const me: Owner = { pid: process.pid, host: hostname(), started: startOf(process.pid) };
  environment.transactionSync(() => {
    const bytes = table.get(OWNER_KEY);
    const owner = bytes === undefined ? undefined : (JSON.parse(bytes.toString()) as Owner);
    if (owner !== undefined && runs(owner)) throw new FolderInUseError(directory, owner.pid);
    table.putSync(OWNER_KEY, Buffer.from(JSON.stringify(me)));
  });
  return () => table.removeSync(OWNER_KEY);
}

const OWNER_KEY = Buffer.from('owner');

function runs({ pid, host, started }: Owner): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  return startOf(pid) === started;
}

/** The boot and the clock ticks after it at which a process started, on Linux; empty elsewhere, where the pid must do. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, which may hold spaces; the start time is field 22.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${ticks ?? ''}`;
  } catch {
    return ''; // no /proc: not Linux
  }
}
