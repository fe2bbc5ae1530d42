import { realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DriverKind } from '../../device-service/devices/phones/open-drivers.js';
import { MOUNT_FILE, mountOf, quotaObstacle } from '../../phone/disk-limits/mounts.js';
import { type Finding, type Machine, ok, skipped, warn } from './finding.js';

const CHECK = 'disk of phones';
/** Succeeds where all programs of project quotas are there. */
const PROGRAMS = 'command -v chattr && command -v setquota && command -v repquota';

/** Checks how the disk of phones in containers is bounded. The service tries the way when it starts, and logs what it found. */
export async function checkPhoneDisk(
  { kinds, dataDirectory }: { kinds: readonly DriverKind[]; dataDirectory: string },
  machine: Machine,
): Promise<Finding> {
  if (!kinds.includes('container')) return skipped(CHECK, 'no phones in containers here');
  const path = await placeOf(join(dataDirectory, 'container', 'phones'));
  const mount = mountOf((await machine.readText(MOUNT_FILE)) ?? '', path);
  if (mount === undefined) return skipped(CHECK, 'this kernel does not show its file systems');
  const measured = (reason: string, next: string): Finding => warn(CHECK, `measured, as ${reason}`, next);
  const obstacle = quotaObstacle(mount);
  if (obstacle !== undefined) {
    const next = `Mount XFS, or ext4 with the features project and quota, at ${join(dataDirectory, 'container')} with the option prjquota.`;
    return measured(obstacle, next);
  }
  if ((await machine.run('sh', ['-c', PROGRAMS])) === undefined)
    return measured('chattr, setquota or repquota is missing', 'Install the packages e2fsprogs and quota.');
  // Whether the quota takes effect is tried by the service, which warns in its log where it does not.
  return ok(CHECK, `mounted for a project quota (${mount.kind}) at ${mount.point}`);
}

/** Returns where a folder is, or will be made. */
async function placeOf(folder: string): Promise<string> {
  for (let there = folder; ; there = dirname(there)) {
    const found = await realpath(there).catch(() => undefined);
    if (found !== undefined || dirname(there) === there) return found ?? there;
  }
}
