import { readFileSync } from 'node:fs';
import type { Machine } from '../machine/machine.js';

/**
 * Returns facts of this machine's kernel, as Android in a container would show them if it booted now. Throws when the machine does not run
 * Linux.
 */
export function readHostKernel(): Pick<Machine, 'bootId' | 'initStartTicks'> {
  const [upS = ''] = readFileSync('/proc/uptime', 'latin1').split(' ');
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
    initStartTicks: Math.floor(Number(upS) * 100),
  };
}
