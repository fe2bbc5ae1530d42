import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, told apart from a later one that got the same pid. */
export interface ProcessOwner {
  readonly pid: number;
  readonly host: string;
  /** When the process started; empty where that cannot be told. */
  readonly started: string;
}

export function thisProcess(): ProcessOwner {
  return { pid: process.pid, host: hostname(), started: startOf(process.pid) };
}

/**
 * Whether the process still runs. Processes of different pid namespaces (containers that share a volume) cannot see each other; one
 * on another host name counts as gone, since a container has a new name each time.
 */
export function isRunning({ pid, host, started }: ProcessOwner): boolean {
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
