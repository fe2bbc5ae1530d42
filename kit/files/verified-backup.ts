import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomText } from '../text/ids.js';

/**
 * The file in a data folder with the time of the newest backup of it that was verified, as one line of RFC 3339. It is no record of the
 * database, which may be what is lost.
 */
export const VERIFIED_BACKUP_FILE = 'verified-backup';

/** The age from which a verified backup is too old, s: two nights without one. The alert and the doctor complain then. */
export const MAX_BACKUP_AGE_S = 172_800;

/** The content of the file cannot be read as a time. */
export class DamagedNote extends Error {
  override name = 'DamagedNote';
}

/**
 * Notes that the backup that was made at `madeAtMs` is whole. The note never moves back: one of a newer backup stays. It never is later
 * than `nowMs`, as a backup of a wrong clock would hide all later ones. A kill leaves the note before or after, and at most a file with the
 * end `.new`. Where two commands end at the same time, the later rename stands, which may name the older backup until the next command.
 */
export async function noteVerifiedBackup(dataDirectory: string, madeAtMs: number, nowMs: number): Promise<void> {
  const noted = await verifiedBackupMs(dataDirectory).catch(unlessDamaged);
  const ms = Math.min(madeAtMs, nowMs);
  if (noted !== undefined && noted >= ms && noted <= nowMs) return;
  const path = join(dataDirectory, VERIFIED_BACKUP_FILE);
  const own = `${path}.${randomText(6)}.new`;
  try {
    await writeFile(own, `${new Date(ms).toISOString()}\n`, { flush: true });
    // The service may be another user than the one that verifies. A time is no secret.
    await chmod(own, 0o644);
    await rename(own, path);
  } finally {
    await rm(own, { force: true });
  }
}

/** Returns when the newest verified backup was made, ms since 1970; undefined: none was ever verified. Throws DamagedNote. */
export async function verifiedBackupMs(dataDirectory: string): Promise<number | undefined> {
  try {
    return notedMs(await readFile(join(dataDirectory, VERIFIED_BACKUP_FILE), 'utf8'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the time in the text of the file, ms since 1970. Throws DamagedNote. */
export function notedMs(text: string): number {
  const ms = Date.parse(text.trim());
  if (Number.isNaN(ms)) throw new DamagedNote(`${VERIFIED_BACKUP_FILE} holds no time. Verify a backup again.`);
  return ms;
}

function unlessDamaged(error: unknown): undefined {
  if (!(error instanceof DamagedNote)) throw error;
  return undefined;
}
