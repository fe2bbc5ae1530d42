import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES, type PhoneFolder } from './phone-folder.js';

/**
 * Gives the phones that an earlier release made and never started the folder of their files, which that release made at the first start.
 * Without the folder a phone is taken for one whose files are lost. A phone whose state holds anything, or that has the record of a
 * start, is left as it is.
 */
export async function giveFilesToUnstarted(folder: PhoneFolder): Promise<void> {
  for (const phoneId of await folder.list()) {
    const state = folder.statePath(phoneId);
    const entries = await readdir(state).catch(unlessMissing);
    if (entries?.length !== 0 || (await folder.runFile(phoneId).read()) !== undefined) continue;
    // The phone may be deleted meanwhile, or another process may be faster.
    await mkdir(join(state, FILES)).catch(unlessMissing);
  }
}

function unlessMissing(error: unknown): undefined {
  if (['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
  throw error;
}
