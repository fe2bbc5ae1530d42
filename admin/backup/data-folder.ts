import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessMissing } from '../../phone/files/path-exists.js';

/** The files and trees of a data folder that a backup holds, each by its path in the folder. */
export interface DataFolder {
  /** Single files: keys, names of host and folder, and what services keep beside their phones. */
  files: string[];
  /** `<kind of phone>/phones/<phone id>`. */
  phones: string[];
  /** `<kind of phone>/snapshots/<snapshot id>`. */
  snapshots: string[];
  /** Files with names that no service gives, such as those of an operator: a restore accepts no such name. */
  strange: string[];
}

/**
 * The database is copied by its server. The others hold sockets, or uploads on their way, and are made anew. Recordings are left out, as they
 * are large and are kept for days only.
 */
const LEFT_OUT = new Set(['database', 'exits', 'apps', 'processes', 'recordings']);

/** A file that only a running process needs, or that a rename is about to put in the place of another one. */
const PASSING = /^lock$|\.(new|restoring|sock|lock)$|^\./;

/** A folder with another name is not of a service: `lost+found` of a disk, or phones that an operator moved away (`container.old`). */
const KIND = /^[a-z0-9-]+$/i;

const ID = /^[a-z0-9_-]{1,64}$/i;

/** Written last into a backup: a folder without it is none. */
export const BACKUP_FILE = 'backup.json';

/** Lists what a data folder has. New kinds of phones and new files are found without a change here. */
export async function listDataFolder(dataDirectory: string): Promise<DataFolder> {
  const found: DataFolder = { files: [], phones: [], snapshots: [], strange: [] };
  const list = async (path: string): Promise<string[]> => {
    const folders: string[] = [];
    const entries = await readdir(join(dataDirectory, path), { withFileTypes: true }).catch(unlessMissing);
    for (const entry of entries ?? []) {
      if (PASSING.test(entry.name)) continue;
      const own = join(dataDirectory, path, entry.name);
      // A folder of another disk may be linked here.
      const kind = entry.isSymbolicLink() ? await stat(own).catch(unlessMissing) : entry;
      const inFolder = join(path, entry.name);
      if (kind?.isFile() === true) (isFilePath(inFolder) ? found.files : found.strange).push(inFolder);
      if (kind?.isDirectory() === true && !LEFT_OUT.has(entry.name)) folders.push(entry.name);
    }
    return folders;
  };
  for (const kind of await list('')) {
    // A backup may lie in the data folder. The next one does not hold it again.
    if (!KIND.test(kind) || existsSync(join(dataDirectory, kind, BACKUP_FILE))) continue;
    const inner = await list(kind);
    for (const group of ['phones', 'snapshots'] as const) {
      if (!inner.includes(group)) continue;
      const ids = (await list(join(kind, group))).filter((name) => ID.test(name));
      found[group].push(...ids.map((id) => join(kind, group, id)));
    }
  }
  for (const paths of Object.values(found) as string[][]) paths.sort();
  return found;
}

/** Whether the path is one that `listDataFolder` returns for a tree. A backup is read from files, which may have been changed. */
export function isTreePath(path: string): boolean {
  return /^[a-z0-9-]+\/(phones|snapshots)\/[a-z0-9_-]{1,64}$/i.test(path);
}

/** Whether the path is one that `listDataFolder` returns for a file. */
export function isFilePath(path: string): boolean {
  const names = path.split('/');
  return (
    names.length <= 3 && names.every((name) => /^[a-z0-9_-][a-z0-9._-]{0,200}$/i.test(name) && !PASSING.test(name))
  );
}
