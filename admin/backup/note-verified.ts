import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FOLDER_ID_FILE } from '../../kit/files/host-id.js';
import { readKept } from '../../kit/files/kept-text.js';
import { noteVerifiedBackup } from '../../kit/files/verified-backup.js';
import { type BackupFile, fileIn } from './backup-file.js';

/** What a verification that succeeded leaves for the service. */
export interface VerifiedNote {
  dataDirectory: string;
  /** The folder of the backup. */
  folder: string;
  file: BackupFile;
  nowMs: number;
}

/**
 * Notes in the data folder that a backup of it was verified, for the service's metric and the doctor. Returns why it noted nothing, as a
 * line for the operator: copies are verified on other machines too, where no service has an interest in them. Undefined: it is noted.
 */
export async function noteVerified({ dataDirectory, folder, file, nowMs }: VerifiedNote): Promise<string | undefined> {
  const own = readKept(join(dataDirectory, FOLDER_ID_FILE));
  if (own === undefined) return `${dataDirectory} is no data folder of a service`;
  if (file.files[FOLDER_ID_FILE] === undefined || idIn(folder, file) !== own)
    return `it is not a backup of ${dataDirectory}`;
  const madeAtMs = Date.parse(file.made_at);
  if (Number.isNaN(madeAtMs)) return 'it does not say when it was made';
  try {
    await noteVerifiedBackup(dataDirectory, madeAtMs, nowMs);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return `${dataDirectory} cannot be written (${code})`;
  }
}

function idIn(folder: string, file: BackupFile): string {
  return readFileSync(fileIn(folder, file, FOLDER_ID_FILE), 'utf8').trim();
}
