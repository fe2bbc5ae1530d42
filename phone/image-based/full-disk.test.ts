import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { DataSnapshots } from './data-snapshots.js';
import type { ImageBasedPhone } from './phone-folders.js';
import { PhoneFolders } from './phone-folders.js';

const run = promisify(execFile);
const MIB = 1024 * 1024;

describe('the data of phones on a disk that is full', () => {
  let folder: string;
  let disk: string;
  const mount = (...words: string[]): Promise<unknown> => run('mount', [...words, 'tmpfs', disk]);
  const failureOf = (call: Promise<unknown>): Promise<string> => call.then(() => 'no failure', String);

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'full-disk-'));
    disk = join(folder, 'disk');
    await mkdir(disk);
    const refused = await mount('-t', 'tmpfs', '-o', 'size=4m').then(
      () => undefined,
      (error: unknown) => String(error),
    );
    if (refused !== undefined) skip(this, `needs the right to mount a small disk: ${refused}`);
  });
  after(async () => {
    await run('umount', [disk]).catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  });

  it('is neither saved nor restored in part, and both succeed once there is room', async () => {
    const saved = new DataSnapshots(join(disk, 'snapshots'));
    const folders = new PhoneFolders(join(disk, 'phones'));
    for (const one of [saved, folders]) await one.clean();
    const data = join(folder, 'large');
    await mkdir(data);
    await writeFile(join(data, 'file'), Buffer.alloc(8 * MIB, 1));
    const phone = { phoneId: 'ph_1', digest: 'sha256:1', data } as ImageBasedPhone;
    const noRoom = /^ApiError: There is no room left on the phone's host/;
    expect(await failureOf(saved.take(phone, 'snap_1', {}))).to.match(noRoom);
    expect(await saved.list()).to.deep.equal([]);
    expect(await readdir(join(disk, 'snapshots/.scratch'))).to.deep.equal([]);

    await mount('-o', 'remount,size=12m');
    await saved.take(phone, 'snap_1', {});
    const spec = { phoneId: 'ph_1', name: 'one', digest: 'sha256:1', serial: 'CP1', on: false } as Omit<
      ImageBasedPhone,
      'data'
    >;
    await folders.create(spec, ({ data: fresh }) => writeFile(join(fresh, 'file'), 'as it was'));
    const restore = (): Promise<void> =>
      folders.replaceData('ph_1', (fresh) => saved.copyTo('snap_1', ['sha256:1'], fresh, {}));
    expect(await failureOf(restore())).to.match(noRoom);
    expect(await readFile(join(disk, 'phones/ph_1/data/file'), 'utf8')).to.equal('as it was');
    expect(await readdir(join(disk, 'phones/.scratch'))).to.deep.equal([]);

    await mount('-o', 'remount,size=32m');
    await restore();
    expect((await readFile(join(disk, 'phones/ph_1/data/file'))).length).to.equal(8 * MIB);
  });
});
