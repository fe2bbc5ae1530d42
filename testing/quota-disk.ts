import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { promisify } from 'node:util';
import { idsIn } from '../phone/disk-limits/project-quota.js';

const run = promisify(execFile);

/** File systems with project quotas, and the words that make one. */
const MAKE = {
  ext4: ['mkfs.ext4', '-q', '-O', 'project,quota', '-E', 'quotatype=prjquota'],
  xfs: ['mkfs.xfs', '-q'],
} as const;
export type QuotaDiskKind = keyof typeof MAKE;
export const QUOTA_DISK_KINDS = Object.keys(MAKE) as QuotaDiskKind[];

/** Its size, bytes. XFS is not made any smaller. */
const DISK_BYTES = 400 * 1024 ** 2;

/** A small disk in a file, mounted with or without project quotas. The caller takes the mount away. */
export class QuotaDisk {
  readonly place: string;
  readonly #image: string;

  private constructor(place: string) {
    this.place = place;
    this.#image = `${place}.img`;
  }

  /** Makes a disk and mounts it at `place`. Returns the reason, for `skip`, where that cannot be done here. */
  static async mount(kind: QuotaDiskKind, place: string, options = 'prjquota'): Promise<QuotaDisk | string> {
    const disk = new QuotaDisk(place);
    const [program, ...words] = MAKE[kind];
    try {
      await mkdir(place, { recursive: true });
      await run('truncate', ['-s', String(DISK_BYTES), disk.#image]);
      await run(program, [...words, disk.#image]);
      await run('mount', ['-o', `loop,${options}`, disk.#image, place]);
      return disk;
    } catch (error) {
      const reason = String(error)
        .trim()
        .replaceAll(/\s*\n\s*/g, ' ')
        .slice(0, 300);
      return `needs loop devices, and a kernel with quotas of ${kind} (Debian packages e2fsprogs, xfsprogs, quota): ${reason}`;
    }
  }

  /** Returns the projects of phones that have files, or that have a limit. */
  async projects(): Promise<{ used: number[]; limited: number[] }> {
    const { stdout } = await run('repquota', ['-P', '-n', '-O', 'csv', this.place]);
    const ofPhones = (ids: Iterable<number>): number[] => [...ids].filter((id) => id >= 2 ** 30).sort();
    const limited = stdout.split('\n').map((line) => line.split(','));
    return {
      used: ofPhones(idsIn(stdout)),
      limited: ofPhones(limited.filter((values) => Number(values[5]) > 0).map(([id = '']) => Number(id.slice(1)))),
    };
  }
}
