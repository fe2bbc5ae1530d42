import { lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { failureOf } from './testing/image-based-world.js';
import { DataSnapshots } from './data-snapshots.js';

const DIGEST = 'image@sha256:1';

describe('saved data of image-based phones', () => {
  let folder: string;
  let saved: DataSnapshots;
  let data: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'saved-'));
    data = join(folder, 'phone');
    await mkdir(join(data, 'apps'), { recursive: true });
    await writeFile(join(data, 'apps', 'mark'), 'golden');
    await symlink('apps/mark', join(data, 'link'));
    await mkdir(join(folder, 'snapshots'));
    saved = new DataSnapshots(join(folder, 'snapshots'));
    await saved.clean();
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const take = () => saved.take({ data, digest: DIGEST }, 'snap_1', {});
  const pathOf = (id: string): string => join(folder, 'snapshots', id);
  const inodeOf = async (id: string): Promise<number> => (await stat(join(pathOf(id), 'data/apps/mark'))).ino;

  it('are kept a second time by hard links, and outlive the first', async () => {
    const taken = await take();
    const percents: number[] = [];
    expect(await saved.copy('snap_1', 'tpl_1', { onProgress: (percent) => percents.push(percent) })).to.deep.equal(
      taken,
    );
    expect(await saved.copy('snap_1', 'tpl_1', {})).to.deep.equal(taken);
    expect(percents.at(-1)).to.equal(100);
    expect(await inodeOf('tpl_1')).to.equal(await inodeOf('snap_1'));
    await saved.delete('snap_1');
    await saved.check('tpl_1');
    expect(await saved.imageOf('tpl_1')).to.equal(DIGEST);
    expect([await saved.list(), await saved.has('tpl_1'), await saved.has('snap_1')]).to.deep.equal([
      ['tpl_1'],
      true,
      false,
    ]);
    const made = join(folder, 'made');
    await mkdir(made);
    await saved.copyTo('tpl_1', [DIGEST], made, {});
    await writeFile(join(made, 'apps', 'mark'), 'changed');
    await saved.check('tpl_1');
    expect(await readFile(join(pathOf('tpl_1'), 'data/apps/mark'), 'utf8')).to.equal('golden');
  });

  it('are copied in whole where hard links cannot be had, as from another disk', async function () {
    const places = ['/dev/shm', '/var/tmp'];
    const devices = await Promise.all(places.map((place) => lstat(place).catch(() => undefined)));
    const { dev } = await lstat(folder);
    const elsewhere = places.find((_, at) => devices[at] !== undefined && devices[at].dev !== dev);
    if (elsewhere === undefined) skip(this, 'neither /dev/shm nor /var/tmp is another file system');
    const taken = await take();
    const other = await mkdtemp(join(elsewhere, 'saved-'));
    try {
      const copies = new DataSnapshots(other);
      await copies.clean();
      expect(await copies.copy('snap_1', 'tpl_1', {}, saved)).to.deep.equal(taken);
      await copies.check('tpl_1');
      expect((await readdir(join(other, '.scratch'))).length).to.equal(0);
    } finally {
      await rm(other, { recursive: true });
    }
  });

  it('are refused where they are missing or damaged, and for a name that is no id', async () => {
    await take();
    expect(await failureOf(saved.copy('snap_2', 'tpl_1', {}))).to.contain('PhoneFailure: The files of the snapshot');
    await saved.copy('snap_1', 'tpl_1', {});
    await writeFile(join(pathOf('tpl_1'), 'manifest.json'), '{');
    expect(await failureOf(saved.copy('snap_1', 'tpl_1', {}))).to.contain('PhoneFailure: The snapshot is damaged');
    for (const name of ['', '..', '../snap_1', 'a/b', 'a'.repeat(65), 'a\0b'])
      expect(await failureOf(saved.copy('snap_1', name, {})), name).to.contain('not a snapshot id');
  });
});
