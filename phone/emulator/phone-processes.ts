import { readdirSync, readFileSync } from 'node:fs';
import { PHONE_VARIABLE } from './command-line.js';

/**
 * Returns the processes whose environment names the folder of a phone, by that folder. So a process is found whatever was written before a
 * crash, and whatever started it. Processes that belong to no phone do not have the variable.
 */
export function findPhoneProcesses(): Map<string, number[]> {
  const found = new Map<string, number[]>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const folder = phoneFolderOf(Number(name));
    if (folder !== undefined) found.set(folder, [...(found.get(folder) ?? []), Number(name)]);
  }
  return found;
}

/** Returns the phone's folder that a process's environment names. A process that has ended and was not reaped has an empty one. */
function phoneFolderOf(pid: number): string | undefined {
  let environment: string;
  try {
    environment = readFileSync(`/proc/${pid}/environ`, 'latin1');
  } catch {
    return undefined; // it has ended meanwhile, or is of another user
  }
  const start = `${PHONE_VARIABLE}=`;
  const found = environment.split('\0').find((variable) => variable.startsWith(start));
  return found === undefined ? undefined : Buffer.from(found.slice(start.length), 'latin1').toString('utf8');
}

/** Kills every process of a phone. Returns how many there were; they are gone once it returns 0. */
export function killPhoneProcesses(folder: string): number {
  const pids = findPhoneProcesses().get(folder) ?? [];
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }
  return pids.length;
}
