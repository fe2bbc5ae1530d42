import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '../files/remove-tree.js';

/**
 * Removes the files with the key that Android computes each app's ANDROID_ID of: it makes a new key where they are missing. `data` is of a
 * phone that is off.
 */
export async function forgetIdentity(data: string): Promise<void> {
  const users = join(await realpath(data), 'system', 'users');
  for (const user of await namesIn(users)) {
    for (const name of await namesIn(join(users, user))) {
      if (name.startsWith('settings_ssaid.xml')) await removeTree(join(users, user, name));
    }
  }
}

/** None where there is no such folder, or a link is on the way to it: links in a phone's data may lead to any folder of the host. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await realpath(folder)) === folder ? await readdir(folder) : [];
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}
