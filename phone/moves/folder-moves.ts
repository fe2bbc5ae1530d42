import { createHash } from 'node:crypto';
import { mkdir, readdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { PhoneFailure } from '../driver.js';
import type { CopyOptions } from '../files/copy-tree.js';
import { diskUsage } from '../files/disk-usage.js';
import { describeTree, TooManyFiles } from '../files/manifest.js';
import { isDiskFull, NoRoom } from '../files/no-room.js';
import { pathExists, unlessMissing } from '../files/path-exists.js';
import { removeTree } from '../files/remove-tree.js';
import { packFolders, unpackFolders } from './archive.js';
import type { Moved, PhoneMoves } from './phone-moves.js';

export interface FolderMovesParts extends Pick<PhoneMoves, 'needs' | 'prepare'> {
  /** The driver's folder, with `phones/<phone id>` and `snapshots/<snapshot id>`. */
  directory: string;
  /** Files in a phone's folder that are about this host alone. They stay behind. */
  without?: readonly string[];
  /** Whether the owners of files are part of the phone, as for files of a real Android. */
  owners: boolean;
}

const PHONES = 'phones';
const SNAPSHOTS = 'snapshots';
/** Phones that are being received, each in a folder of its own: `arriving/<name>/phones/…` and `…/snapshots/…`. */
const ARRIVING = 'arriving';
/** The phone in an arrival that was in the place before. */
const OLD = 'old';

/**
 * Moves phones whose driver keeps each of them, and each snapshot, in one folder. An arrival is on the same disk as the phones. So it gets
 * its place by renames, snapshots first: a phone that is there has its snapshots.
 */
export class FolderMoves implements PhoneMoves {
  readonly #parts: FolderMovesParts;
  readonly needs: PhoneMoves['needs'];
  readonly prepare: PhoneMoves['prepare'];

  constructor(parts: FolderMovesParts) {
    this.#parts = parts;
    this.needs = parts.needs;
    this.prepare = parts.prepare;
  }

  async describe(moved: Moved, options: CopyOptions = {}): Promise<{ sizeBytes: number; checksum: string }> {
    const { directory } = this.#parts;
    const paths = pathsOf(moved);
    let sizeBytes = 0;
    for (const path of paths) sizeBytes += await diskUsage(join(directory, path));
    return { sizeBytes, checksum: await this.#checksumOf(directory, paths, options) };
  }

  pack(moved: Moved, { signal }: CopyOptions = {}): AsyncIterable<Uint8Array> {
    const { directory, without: names = [] } = this.#parts;
    const { phoneId } = moved;
    const without = phoneId === undefined ? [] : names.map((name) => `${PHONES}/${phoneId}/${name}`);
    return packFolders(directory, pathsOf(moved), { without, signal });
  }

  async unpack(arrival: string, content: AsyncIterable<Uint8Array>, options: CopyOptions = {}): Promise<string> {
    const path = this.#arrival(arrival);
    await removeTree(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
    try {
      await unpackFolders(content, path, options.signal);
      return await this.#checksumOf(path, await partsIn(path), options);
    } catch (error) {
      await removeTree(path);
      throw isDiskFull(error) ? new NoRoom(error) : error;
    }
  }

  /**
   * A phone that is in the place already is an old one, which an earlier move has left. The copy of this move is in the arrival only until it
   * is in its place. The old one goes aside into the arrival; after a crash in between, the place is free, and the copy gets it. A snapshot
   * of the same id is the same.
   */
  async arrive(arrival: string): Promise<void> {
    const path = this.#arrival(arrival);
    for (const part of await partsIn(path)) {
      const place = join(this.#parts.directory, part);
      await mkdir(join(place, '..'), { recursive: true, mode: 0o700 });
      const isTaken = await pathExists(place);
      if (isTaken && !part.startsWith(PHONES)) continue;
      if (isTaken) {
        await removeTree(join(path, OLD));
        await rename(place, join(path, OLD));
      }
      await rename(join(path, part), place);
    }
    await removeTree(path);
  }

  async listArrivals(): Promise<string[]> {
    return (await readdir(join(this.#parts.directory, ARRIVING)).catch(unlessMissing)) ?? [];
  }

  async discard(arrival: string): Promise<void> {
    await removeTree(this.#arrival(arrival));
  }

  /** Returns the checksum of folders below `root`. Sockets and pipes are no part of it, as archives have no sockets. */
  async #checksumOf(root: string, paths: readonly string[], { signal }: CopyOptions): Promise<string> {
    const { owners, without = [] } = this.#parts;
    const left = new Set(without);
    const hash = createHash('sha256');
    for (const path of paths) {
      const { entries } = await describeTree(join(root, path), { owners, signal }).catch(tooMany);
      hash.update(`${path}\0`);
      for (const entry of entries) {
        const [name = '', kind = ''] = entry.split('\0');
        if (kind.startsWith('special') || (path.startsWith(PHONES) && left.has(name))) continue;
        hash.update(`${entry}\n`);
      }
    }
    return hash.digest('hex');
  }

  #arrival(name: string): string {
    return join(this.#parts.directory, ARRIVING, plain(name));
  }
}

/** Returns the paths of the folders, in the order of `partsIn`. */
function pathsOf({ phoneId, snapshotIds }: Moved): string[] {
  const snapshots = [...snapshotIds].sort().map((id) => `${SNAPSHOTS}/${plain(id)}`);
  return phoneId === undefined ? snapshots : [...snapshots, `${PHONES}/${plain(phoneId)}`];
}

/** Returns the folders in an arrival: snapshots by their ids, then the phone. Entries with other names were not sent by a host. */
async function partsIn(path: string): Promise<string[]> {
  const found: string[] = [];
  for (const kind of [SNAPSHOTS, PHONES]) {
    const names = (await readdir(join(path, kind)).catch(unlessMissing)) ?? [];
    found.push(...names.sort().map((name) => `${kind}/${plain(name)}`));
  }
  return found;
}

function tooMany(error: unknown): never {
  if (!(error instanceof TooManyFiles)) throw error;
  throw new PhoneFailure('The phone has too many files to be moved. Delete some and try again.', { cause: error });
}

/** Returns an id of the service. Throws for any other text, as it must not become a path. */
function plain(id: string): string {
  if (!/^[a-z0-9_-]{1,64}$/i.test(id)) throw new Error(`not an id: ${id.slice(0, 80)}`);
  return id;
}
