import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** How long the check of one image may take, ms. The check reads the tables of the image, and not its data. */
const CHECK_MS = 60_000;

/** The exit status of `qemu-img check` for an image whose tables contradict each other. Status 3 means lost room, which is harmless. */
const DAMAGED = 2;

/**
 * Returns whether the SDK's qemu-img finds that a disk image in the folder is damaged. Returns false where qemu-img is missing or cannot
 * check an image: then the boot shows whether it is damaged.
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
