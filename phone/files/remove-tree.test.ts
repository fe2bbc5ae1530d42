import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { removeTree } from './remove-tree.js';

describe('the removal of a tree', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'remove-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('ends also where paths are longer than the kernel takes', async () => {
    await mkdir(join(folder, 'deep'));
    const makeNext = 'mkdir "$1" && cd -P "$1" || exit 1';
    const script = `cd "$0"; for at in $(seq 25); do ${makeNext}; done; echo x > file`;
    execFileSync('sh', ['-c', script, join(folder, 'deep'), 'd'.repeat(200)]);
    await removeTree(join(folder, 'deep'));
    expect(existsSync(join(folder, 'deep'))).to.equal(false);
  });

  it('follows no link', async () => {
    await mkdir(join(folder, 'kept'));
    await writeFile(join(folder, 'kept', 'file'), 'x');
    await mkdir(join(folder, 'gone'));
    await symlink(join(folder, 'kept'), join(folder, 'gone', 'link'));
    await removeTree(join(folder, 'gone'));
    expect(await readdir(folder)).to.deep.equal(['kept']);
    expect(await readdir(join(folder, 'kept'))).to.deep.equal(['file']);
  });

  it('is none where there is nothing', () => removeTree(join(folder, 'none')));
});
