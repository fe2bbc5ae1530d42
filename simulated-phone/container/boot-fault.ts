import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file in /data into which a test writes the fault that the phone has when it boots. */
export const BOOT_FAULT_FILE = 'local/tmp/simulated-boot-fault';

/**
 * - `never-boots`: ADB responds, and the boot never completes;
 * - `exits`: the phone reports on standard error that it did not boot, and its container ends with status 1;
 * - `silent`: it boots, and adbd accepts connections and never responds.
 */
const BOOT_FAULTS = ['never-boots', 'exits', 'silent'] as const;
export type BootFault = (typeof BOOT_FAULTS)[number];

/** Returns the fault that the file of a test names; undefined where there is no file. Throws for an unknown word. */
export function readBootFault(dataFolder: string): BootFault | undefined {
  const path = join(dataFolder, BOOT_FAULT_FILE);
  let word: string;
  try {
    word = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const fault = BOOT_FAULTS.find((one) => one === word);
  if (fault === undefined) throw new Error(`${path} names no fault. There are: ${BOOT_FAULTS.join(', ')}.`);
  return fault;
}
