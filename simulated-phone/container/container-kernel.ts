import { readFileSync } from 'node:fs';
import type { Machine } from '../machine.js';

/**
 * The kernel that a phone sees whose init is this process: the host's, with its boot id, and the start of this process by that kernel's
 * clock. Throws where the machine is not Linux.
 */
export function readContainerKernel(): Pick<Machine, 'bootId' | 'initStartTicks'> {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  // Field 22; the second one, a name in brackets, may contain blanks.
  const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  if (!/^\d+$/.test(ticks)) throw new Error('/proc/self/stat does not show when the process started.');
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
    initStartTicks: Number(ticks),
  };
}
