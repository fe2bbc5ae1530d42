import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pathExists } from '../../files/path-exists.js';
import { copy } from './copy.js';

const OF_PHONE = { phoneId: 'ph_1', snapshotId: 'snap_1', digest: 'image@sha256:1' };
const RESTORE = { step: 'restore', ...OF_PHONE, forgetIdentity: false } as const;
const DONE = { done: true };

describe('copies between the volumes of a phone and of a snapshot', () => {
  let folder: string;
  let volumes: { phones: string; snapshots: string; copies: string };
  const data = (): string => join(volumes.phones, 'ph_1', 'data');
  const mark = (): Promise<string> => readFile(join(data(), 'mark'), 'utf8');

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'copy-'));
    volumes = { phones: join(folder, 'phones'), snapshots: join(folder, 'snapshots'), copies: join(folder, 'copies') };
    await mkdir(data(), { recursive: true });
    await mkdir(volumes.snapshots);
    await mkdir(volumes.copies);
    await writeFile(join(data(), 'mark'), 'saved');
    expect(await copy({ step: 'take', ...OF_PHONE }, volumes)).to.include(DONE);
    await writeFile(join(data(), 'mark'), 'later');
  });
  afterEach(() => rm(folder, { recursive: true }));

  it('replace the data of a phone', async () => {
    expect(await copy(RESTORE, volumes)).to.deep.equal(DONE);
    expect(await mark()).to.equal('saved');
  });

  it('forget the identity of the phone of the snapshot where that is requested, and only there', async () => {
    const key = join(data(), 'system/users/0/settings_ssaid.xml');
    await mkdir(join(key, '..'), { recursive: true });
    await writeFile(key, 'of the source');
    const other = { ...OF_PHONE, snapshotId: 'snap_2' };
    expect(await copy({ step: 'take', ...other }, volumes)).to.include(DONE);
    for (const forgetIdentity of [false, true]) {
      expect(await copy({ ...RESTORE, ...other, forgetIdentity }, volumes)).to.deep.equal(DONE);
      expect(await pathExists(key)).to.equal(!forgetIdentity);
    }
  });

  it('complete a restore that was killed between its two renames', async () => {
    expect(await copy(RESTORE, volumes)).to.deep.equal(DONE);
    const scratch = join(volumes.phones, '.scratch');
    await rename(data(), join(scratch, 'ph_1.restored'));
    for (let times = 0; times < 2; times++) {
      expect(await copy({ step: 'finish', phoneId: 'ph_1' }, volumes)).to.deep.equal(DONE);
      expect(await mark()).to.equal('saved');
      expect(await readdir(scratch)).to.deep.equal([]);
    }
  });

  it('undo a restore that was killed before its copy was whole', async () => {
    const scratch = join(volumes.phones, '.scratch');
    await mkdir(join(scratch, 'ph_1.new'), { recursive: true });
    await writeFile(join(scratch, 'ph_1.new', 'mark'), 'sav');
    expect(await copy({ step: 'finish', phoneId: 'ph_1' }, volumes)).to.deep.equal(DONE);
    expect(await mark()).to.equal('later');
    expect(await readdir(scratch)).to.deep.equal([]);
  });

  it('keep a snapshot on another volume, also after a copy that was killed, of which phones are made', async () => {
    await mkdir(join(volumes.copies, '.scratch', 'tpl_1', 'data'), { recursive: true });
    await writeFile(join(volumes.copies, '.scratch', 'tpl_1', 'data', 'mark'), 'sav');
    const taken = await copy({ step: 'take', ...OF_PHONE }, volumes);
    for (let times = 0; times < 2; times++)
      expect(await copy({ step: 'copy', snapshotId: 'snap_1', copyId: 'tpl_1' }, volumes)).to.deep.equal(taken);
    const ofCopy = { ...volumes, snapshots: volumes.copies };
    await rm(volumes.snapshots, { recursive: true });
    expect(await copy({ step: 'check', snapshotId: 'tpl_1' }, ofCopy)).to.deep.equal(DONE);
    expect(await copy({ ...RESTORE, snapshotId: 'tpl_1' }, ofCopy)).to.deep.equal(DONE);
    expect(await mark()).to.equal('saved');
  });

  it('report a snapshot of another image, and one that is damaged', async () => {
    const other = await copy({ ...RESTORE, digest: 'image@sha256:2' }, volumes);
    expect(other).to.include({ done: false, kind: 'phone_failure' });
    await writeFile(join(volumes.snapshots, 'snap_1', 'data', 'mark'), 'saveD');
    expect(await copy({ step: 'check', snapshotId: 'snap_1' }, volumes)).to.include({
      ...{ done: false, kind: 'phone_failure' },
      message: 'The snapshot is damaged: the file mark is not as it was saved. Delete it.',
    });
    expect(await mark()).to.equal('later');
  });
});
