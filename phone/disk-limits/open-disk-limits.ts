import { mkdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '../../kit/log/log.js';
import { type DiskLimits, measuredOnly } from './disk-limits.js';
import { MOUNT_FILE, mountOf, quotaObstacle } from './mounts.js';
import { ProjectIds } from './project-ids.js';
import { ProjectQuota } from './project-quota.js';

/** The limit of the folder with which the way is tried, bytes. */
const TRIED_BYTES = 1024 ** 2;

/**
 * Decides how the phones in a folder are kept within their sizes, by trying it there, and logs it once. The folder of the trial is a scratch
 * folder of PhoneFolders, which removes it after a crash.
 */
export async function openDiskLimits({ phones, log }: { phones: string; log: Log }): Promise<DiskLimits> {
  await mkdir(phones, { recursive: true, mode: 0o700 });
  const limits = await tried(await realpath(phones), log).catch((error: unknown) => {
    log.warn({ err: error }, 'project quotas are on where the phones in containers are, and cannot be used');
    return measuredOnly(error instanceof Error ? error.message : String(error));
  });
  log.info({ way: limits.way }, 'the disk of phones in containers is bounded in this way');
  return limits;
}

async function tried(phones: string, log: Log): Promise<DiskLimits> {
  const mount = mountOf(await readFile(MOUNT_FILE, 'utf8'), phones);
  if (mount === undefined) return measuredOnly(`the file system of the phones is not listed in ${MOUNT_FILE}`);
  const obstacle = quotaObstacle(mount);
  if (obstacle !== undefined) return measuredOnly(obstacle);
  const limits = new ProjectQuota({ mount, ids: new ProjectIds(phones), log });
  const home = join(phones, '.scratch', 'limit-trial');
  const data = join(home, 'data');
  await mkdir(data, { recursive: true, mode: 0o700 });
  try {
    await limits.bound({ home, data }, TRIED_BYTES);
  } finally {
    await limits.remove(home);
  }
  return limits;
}
