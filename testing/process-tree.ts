import { readFileSync } from 'node:fs';

/** Returns the processes that a process has started, and those that these have started in turn. Linux only. */
export function descendants(pid: number): number[] {
  const path = `/proc/${pid}/task/${pid}/children`;
  let children: number[];
  try {
    children = readFileSync(path, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []; // It has ended meanwhile.
    throw error;
  }
  return children.flatMap((child) => [child, ...descendants(child)]);
}

/** Sends SIGKILL to a process and to everything that it has started. */
export function killTree(pid: number): void {
  for (const each of [...descendants(pid), pid]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
}

/** Sends SIGKILL to everything that this process has started. */
export function killChildren(): void {
  for (const pid of descendants(process.pid)) killTree(pid);
}
