import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES, type PhoneFolder } from './phone-folder.js';

/**
 * Makes the folder of files for phones that an earlier release made but never started. That release made the folder only at the first start,
 * while now a phone without it counts as one whose files are lost. A phone whose state folder holds anything, or that has the record of a
 * start, is left as it is.
 */
export async function giveFilesToUnstarted(folder: PhoneFolder): Promise<void> {
  for (const phoneId of await folder.list()) {
    const state = folder.statePath(phoneId);
    const entries = await readdir(state).catch(unlessMissing);
    if (entries?.length !== 0 || (await folder.runFile(phoneId).read()) !== undefined) continue;
    // The phone may be deleted meanwhile, or another process may make the folder first.
    await mkdir(join(state, FILES)).catch(unlessMissing);
  }
}

function unlessMissing(error: unknown): undefined {
  if (['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
  throw error;
}
