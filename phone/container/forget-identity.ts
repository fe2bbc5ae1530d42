import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../files/remove-tree.js';

/**
 * Removes the files with the key from which Android computes each app's ANDROID_ID. Android makes a new key when the files are missing. The
 * phone with the folder `data` must be off.
 */
export async function forgetIdentity(data: string): Promise<void> {
  const users = join(await realpath(data), 'system', 'users');
  for (const user of await namesIn(users)) {
    for (const name of await namesIn(join(users, user))) {
      if (name.startsWith('settings_ssaid.xml')) await removeTree(join(users, user, name));
    }
  }
}

/**
 * Returns the names in a folder. It returns none when the folder is missing, or its path has a symbolic link. Links in a phone's data may
 * lead to any folder of the host.
 */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await realpath(folder)) === folder ? await readdir(folder) : [];
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
