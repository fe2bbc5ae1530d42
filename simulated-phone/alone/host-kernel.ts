import { readFileSync } from 'node:fs';
import type { Machine } from '../machine.js';

/** What an Android that boots now in a container of this machine shows of its kernel. Throws where the machine is not Linux. */
export function readHostKernel(): Pick<Machine, 'bootId' | 'initStartTicks'> {
  const [upS = ''] = readFileSync('/proc/uptime', 'latin1').split(' ');
  return {
    bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(),
    initStartTicks: Math.floor(Number(upS) * 100),
  };
}
