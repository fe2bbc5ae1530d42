/** A file system as it is mounted. */
export interface Mount {
  /** Where it is mounted, an absolute path. */
  point: string;
  /** Its kind, such as `ext4`. */
  kind: string;
  /** Options of the mount and of the file system, such as `prjquota`. */
  options: readonly string[];
}

/** The file in which the kernel lists what this process sees mounted. */
export const MOUNT_FILE = '/proc/self/mountinfo';

/** Options by which a file system keeps projects within their limits. XFS takes both words, and shows the first. */
const ENFORCING = new Set(['prjquota', 'pquota']);

/** Returns the mount that a path is on. `text` is that of MOUNT_FILE, `path` an absolute path without links. Undefined: it is not listed. */
export function mountOf(text: string, path: string): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mountsIn(text)) {
    const isAbove = mount.point === '/' || path === mount.point || path.startsWith(`${mount.point}/`);
    // A later line of the same place hides the earlier ones.
    if (isAbove && mount.point.length >= (found?.point.length ?? 0)) found = mount;
  }
  return found;
}

/** Returns why the file system cannot bound phones by project quotas; undefined where it is mounted to do so. */
export function quotaObstacle({ kind, point, options }: Mount): string | undefined {
  if (kind !== 'ext4' && kind !== 'xfs') return `${point} is ${kind}, and project quotas are used on ext4 and XFS`;
  if (options.some((option) => ENFORCING.has(option))) return undefined;
  return `${point} is ${kind}, mounted without prjquota`;
}

/** Yields the mounts in the order in which they were made: the fields before ` - ` are about the mount, those after it about its disk. */
function* mountsIn(text: string): Iterable<Mount> {
  for (const line of text.split('\n')) {
    const [mount = '', disk = ''] = line.split(' - ');
    const [, , , , point = '', mountOptions = ''] = mount.split(' ');
    const [kind = '', , diskOptions = ''] = disk.split(' ');
    if (point === '' || kind === '') continue;
    yield { point: unescaped(point), kind, options: [...mountOptions.split(','), ...diskOptions.split(',')] };
  }
}

/** Replaces the octal numbers by which the kernel writes blanks, line ends and backslashes. */
function unescaped(path: string): string {
  return path.replaceAll(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(parseInt(code, 8)));
}
