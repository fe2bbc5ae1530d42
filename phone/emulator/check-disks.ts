import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** It reads tables alone, and not the data. */
const CHECK_MS = 60_000;

/** The exit status of `qemu-img check` for an image whose tables contradict each other. 3 is room that is lost, which does no harm. */
const DAMAGED = 2;

/**
 * Returns whether a disk image in the folder is known to be damaged, by the SDK's qemu-img. Where that is missing or cannot check an image,
 * nothing is known: then the boot shows it.
 */
export async function hasDamagedDisk(folder: string, qemuImg: string): Promise<boolean> {
  for (const name of (await readdir(folder)).filter((one) => one.endsWith('.qcow2'))) {
    if ((await checkStatus(join(folder, name), qemuImg)) === DAMAGED) return true;
  }
  return false;
}

function checkStatus(path: string, qemuImg: string): Promise<number> {
  const limits = { timeout: CHECK_MS, killSignal: 'SIGKILL', env: {} } as const;
  return new Promise((resolve) => {
    execFile(qemuImg, ['check', '-q', '-f', 'qcow2', path], limits, (error) => {
      resolve(error === null ? 0 : typeof error.code === 'number' ? error.code : -1);
    });
  });
}
