import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { noteVerified } from '../../admin/backup/note-verified.js';
import { verifyBackup } from '../../admin/backup/verify-backup.js';
import { readBackupFile } from '../../admin/backup/backup-file.js';
import { VERIFIED_BACKUP_FILE, verifiedBackupMs } from '../../kit/files/verified-backup.js';
import { BackupWorld, rejection } from './backup-world.js';

describe('a verified backup', () => {
  let world: BackupWorld;

  beforeEach(async () => {
    world = await BackupWorld.open();
  });
  afterEach(() => world.close());

  async function verified(name: string, dataDirectory = world.data): Promise<string | undefined> {
    const folder = join(world.directory, name);
    const file = await verifyBackup(folder, () => undefined);
    return noteVerified({ dataDirectory, folder, file, nowMs: Date.now() + 120_000 });
  }

  it('leaves its time in the data folder, and a damaged one does not', async () => {
    const { file } = await world.made('one');
    writeFileSync(join(world.directory, 'one/data/steps-key'), 'another key');
    expect(await rejection(verified('one'))).to.contain('damaged');
    expect(await verifiedBackupMs(world.data)).to.equal(undefined);
    writeFileSync(join(world.directory, 'one/data/steps-key'), 'key');
    expect(await verified('one')).to.equal(undefined);
    expect(await verifiedBackupMs(world.data)).to.equal(Date.parse(file.made_at));
  });

  it('is noted by a restored installation as by the one that it was made of', async () => {
    await world.made('one');
    await verified('one');
    await world.made('two');
    await world.restored('two', 'new');
    const restored = join(world.directory, 'new');
    expect(await verifiedBackupMs(restored)).to.equal(await verifiedBackupMs(world.data));
    expect(await verified('two', restored)).to.equal(undefined);
    expect(await verifiedBackupMs(restored)).to.equal(Date.parse(readBackupFile(join(world.directory, 'two')).made_at));
  });

  it('of another data folder, or on a machine without one, is not noted, with the reason', async () => {
    await world.made('one');
    const other = join(world.directory, 'other');
    expect(await verified('one', other)).to.equal(`${other} is no data folder of a service`);
    mkdirSync(other);
    writeFileSync(join(other, 'folder-id'), 'folder_other\n');
    expect(await verified('one', other)).to.equal(`it is not a backup of ${other}`);
    expect(await verifiedBackupMs(other)).to.equal(undefined);
  });

  it('is not in a backup by its unfinished file, which a kill leaves', async () => {
    world.write(`${VERIFIED_BACKUP_FILE}.abcdef.new`, '20');
    const { file } = await world.made('one');
    expect(Object.keys(file.files).filter((path) => path.startsWith(VERIFIED_BACKUP_FILE))).to.deep.equal([]);
    expect(await verified('one')).to.equal(undefined);
    expect(readFileSync(join(world.data, VERIFIED_BACKUP_FILE), 'utf8')).to.equal(`${file.made_at}\n`);
  });

  it('whose data folder cannot be written is whole all the same, and says so', async () => {
    await world.made('one');
    // A folder cannot be replaced by a file, whoever runs the test.
    mkdirSync(join(world.data, VERIFIED_BACKUP_FILE));
    expect(await verified('one')).to.equal(`${world.data} cannot be written (EISDIR)`);
    rmSync(join(world.data, VERIFIED_BACKUP_FILE), { recursive: true });
  });
});
