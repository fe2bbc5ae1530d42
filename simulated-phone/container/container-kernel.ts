import { readFileSync } from 'node:fs';
import type { Machine } from '../machine/machine.js';

/**
 * Reads what a phone in a container shows of the kernel: the boot id of the host's kernel, and the start time of this process. This process
 * is the phone's init. Throws where the machine is not Linux.
 */
export function readContainerKernel(): Pick<Machine, 'bootId' | 'initStartTicks'> {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // The start is field 22. Field 2, a name in brackets, may contain blanks.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  if (!/^\d+$/.test(ticks)) throw new Error('/proc/self/stat does not show when the process started.');
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
    initStartTicks: Number(ticks),
  };
}
