import { statfs } from 'node:fs/promises';
import type { Log } from '../../kit/log/log.js';
import { removeTree } from '../files/remove-tree.js';
import type { DiskLimits, PhoneData } from './disk-limits.js';
import type { Mount } from './mounts.js';
import type { ProjectIds } from './project-ids.js';
import { runProgram } from './run-program.js';

/** Bytes of a phone's size for each file that it may have: the ratio with which ext4 is made. Without it, empty files are unbounded. */
const BYTES_PER_FILE = 16_384;
const KIB = 1_024;

export interface ProjectQuotaParts {
  /** The file system of the phones. */
  mount: Mount;
  ids: ProjectIds;
  log: Log;
}

/**
 * Bounds the data of each phone by a project quota of ext4 or XFS. A phone has one project, and all that is made in the folder of its data
 * inherits it. While a restore replaces the data, old and new data count together, so the limit is set again at the next start.
 *
 * After a kill -9 between any two lines, a phone without project, limit or inherited ids gets them at its next start. The limit of a removed
 * phone may be left: it bounds nothing, and the next phone with that id replaces it.
 */
export class ProjectQuota implements DiskLimits {
  readonly way: string;
  readonly #parts: ProjectQuotaParts;

  constructor(parts: ProjectQuotaParts) {
    this.way = `project quota (${parts.mount.kind})`;
    this.#parts = parts;
  }

  async prepare(phone: PhoneData): Promise<void> {
    await this.#unlessFailed(phone.home, 'the data of a phone has no project quota', async () => {
      const id = await this.#projectOf(phone.home);
      await this.#setLimit(id, 0);
      await markTree(phone.data, id);
    });
  }

  async hold(phone: PhoneData, maxBytes: number): Promise<void> {
    const failure = 'a phone starts without its project quota';
    await this.#unlessFailed(phone.home, failure, () => this.bound(phone, maxBytes));
  }

  /** Does what `hold` does, and throws where the limit does not take effect, or some files are outside of it. */
  async bound({ home, data }: PhoneData, maxBytes: number): Promise<void> {
    const id = await this.#projectOf(home);
    await this.#setLimit(id, maxBytes);
    // Files may have another project: an earlier release made them, they came from another host, or the phone's own root changed it.
    await markTree(data, id);
    // Both file systems report the limit of a folder's project as the size of the disk, if they enforce it.
    const { blocks, bsize } = await statfs(data);
    if (blocks * bsize > maxBytes) throw new Error('the file system takes the limit, and does not enforce it');
  }

  async remove(tree: string): Promise<void> {
    const id = await this.#parts.ids.read(tree);
    // The limit goes first: once the tree is gone, another phone may get the id, and a limit of its own.
    if (id !== undefined)
      await this.#unlessFailed(tree, 'the limit of a removed phone is left', () => this.#setLimit(id, 0));
    await removeTree(tree);
  }

  async #projectOf(home: string): Promise<number> {
    const { ids, mount } = this.#parts;
    const findUsed = async (): Promise<Set<number>> =>
      idsIn(await runProgram('repquota', ['-P', '-n', '-O', 'csv', mount.point]));
    return (await ids.read(home)) ?? ids.choose(home, findUsed);
  }

  /** Sets the limits of a project; 0 bytes: none. */
  async #setLimit(id: number, maxBytes: number): Promise<void> {
    const [maxBlocks, maxFiles] = [Math.floor(maxBytes / KIB), Math.ceil(maxBytes / BYTES_PER_FILE)];
    const limits = ['0', String(maxBlocks), '0', String(maxFiles)];
    await runProgram('setquota', ['-P', String(id), ...limits, this.#parts.mount.point]);
  }

  async #unlessFailed(path: string, message: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The path has the phone's id.
      this.#parts.log.warn({ err: error, path }, `${message}; it is measured all the same`);
    }
  }
}

/**
 * Puts a folder and all that is in it into a project, which new files inherit. Links, sockets and pipes that exist keep theirs. The flag that
 * files inherit is refused on files. Throws where a path is too long for programs, after the others are done.
 */
async function markTree(folder: string, id: number): Promise<void> {
  const mark = ['-exec', 'chattr', '-p', String(id)];
  const folders = ['-type', 'd', ...mark, '+P', '--', '{}', '+'];
  await runProgram('find', [folder, '-xdev', ...folders, '-o', '-type', 'f', ...mark, '--', '{}', '+']);
}

/** Returns the projects of a report of `repquota` that have files. A line is `#<id>,<state>,<state>,…`, with the columns of the first. */
export function idsIn(report: string): Set<number> {
  const [head = '', ...lines] = report.trim().split('\n');
  const columns = head.split(',');
  const [atId, atFiles] = [columns.indexOf('Project'), columns.indexOf('FileUsed')];
  if (atId < 0 || atFiles < 0) throw new Error('the program repquota prints no columns Project and FileUsed');
  const ids = new Set<number>();
  for (const line of lines) {
    const values = line.split(',');
    const id = Number(values[atId]?.replace('#', ''));
    if (Number.isInteger(id) && Number(values[atFiles]) > 0) ids.add(id);
  }
  return ids;
}
