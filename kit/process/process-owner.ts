import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** A process, distinguishable from a later one with the same pid. */
export interface ProcessOwner {
  readonly pid: number;
  readonly host: string;
  /** When the process started; empty where that is unknown. */
  readonly started: string;
}

export function thisProcess(): ProcessOwner {
  return { pid: process.pid, host: hostname(), started: startOf(statOf(process.pid)) };
}

/**
 * Whether the process still runs. Processes of different pid namespaces (containers that share a volume) cannot see each other. A process
 * on another host name counts as gone, since a container has a new name each time.
 */
export function isRunning({ pid, host, started }: ProcessOwner): boolean {
  if (host !== hostname()) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
  const stat = statOf(pid);
  return startOf(stat) === started && !isZombie(stat);
}

/** Whether the process has ended, but was not yet collected by its parent. It holds nothing any more, though its pid still exists. */
function isZombie(stat: string[] | undefined): boolean {
  return ['Z', 'X'].includes(stat?.[0] ?? '');
}

/**
 * Returns the id of the boot, and the clock ticks from the boot to the start of the process, on Linux. Returns '' elsewhere, where only
 * pids are compared.
 */
function startOf(stat: string[] | undefined): string {
  const ticks = stat?.[19];
  if (ticks === undefined) return '';
  bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  return `${bootId} ${ticks}`;
}

/** The id of the boot, which stays the same while this process runs. It is read at its first use, as only Linux has it. */
let bootId: string | undefined;

/** The fields of /proc/PID/stat, from the third on: state, parent, and so on; undefined without a /proc. */
function statOf(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The second field is the program's name in parentheses, which may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return undefined; // not Linux, or the process has ended meanwhile
  }
}
