import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { DamagedNote, noteVerifiedBackup, VERIFIED_BACKUP_FILE, verifiedBackupMs } from './verified-backup.js';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2030, 0, 2);

describe('the note of a verified backup', () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'verified-'));
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  const note = (madeAtMs: number): Promise<void> => noteVerifiedBackup(directory, madeAtMs, NOW_MS);

  it('has the time of the newest one, whatever the order in which backups are verified', async () => {
    expect(await verifiedBackupMs(directory)).to.equal(undefined);
    await note(NOW_MS - 2 * HOUR_MS);
    await note(NOW_MS - HOUR_MS);
    await note(NOW_MS - 3 * HOUR_MS);
    expect(await verifiedBackupMs(directory)).to.equal(NOW_MS - HOUR_MS);
    expect(readdirSync(directory)).to.deep.equal([VERIFIED_BACKUP_FILE]);
  });

  it('is never in the future, where it would hide all later backups', async () => {
    await note(NOW_MS + HOUR_MS);
    expect(await verifiedBackupMs(directory)).to.equal(NOW_MS);
    writeFileSync(join(directory, VERIFIED_BACKUP_FILE), new Date(NOW_MS + HOUR_MS).toISOString());
    await note(NOW_MS - HOUR_MS);
    expect(await verifiedBackupMs(directory)).to.equal(NOW_MS - HOUR_MS);
  });

  it('that holds no time is an error until the next one replaces it', async () => {
    writeFileSync(join(directory, VERIFIED_BACKUP_FILE), '');
    const damaged = await verifiedBackupMs(directory).catch((error: unknown) => error);
    expect(damaged).to.be.instanceOf(DamagedNote);
    await note(NOW_MS);
    expect(await verifiedBackupMs(directory)).to.equal(NOW_MS);
  });

  it('can be read by the user of the service, whoever wrote it', async () => {
    writeFileSync(join(directory, VERIFIED_BACKUP_FILE), '');
    chmodSync(join(directory, VERIFIED_BACKUP_FILE), 0o600);
    await note(NOW_MS);
    expect(statSync(join(directory, VERIFIED_BACKUP_FILE)).mode & 0o777).to.equal(0o644);
  });
});
