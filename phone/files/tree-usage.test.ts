import { mkdir, mkdtemp, rm, rmdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { ENTRY_BYTES, bytesOf, measureTree } from './tree-usage.js';

describe('what a tree takes of a disk', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'tree-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is nothing where there is no folder', async () => {
    expect(await measureTree(join(folder, 'none'))).to.deep.equal({ bytes: 0, entries: 0 });
  });

  it('is that of its files in all folders, and of each entry', async () => {
    await mkdir(join(folder, 'a', 'b'), { recursive: true });
    await writeFile(join(folder, 'a', 'b', 'file'), Buffer.alloc(10_000));
    await writeFile(join(folder, 'file'), Buffer.alloc(1));
    expect(bytesOf(await measureTree(folder))).to.equal(10_001 + 4 * ENTRY_BYTES);
  });

  it('is not less than what stays while folders come and go in it', async () => {
    await writeFile(join(folder, 'stays'), Buffer.alloc(100_000));
    const passing = Array.from({ length: 50 }, (_, at) => join(folder, `passing-${at}`));
    let isOver = false;
    const change = async (): Promise<void> => {
      while (!isOver) {
        await Promise.all(passing.map((path) => mkdir(path, { recursive: true })));
        await Promise.all(passing.map((path) => rmdir(path)));
      }
    };
    const changing = change();
    const measured: number[] = [];
    for (let times = 0; times < 300; times++) measured.push((await measureTree(folder)).bytes);
    isOver = true;
    await changing;
    expect(measured.filter((bytes) => bytes !== 100_000)).to.deep.equal([]);
  });

  it('includes what is below names that are not UTF-8', async () => {
    const odd = Buffer.concat([Buffer.from(`${folder}/a`), Buffer.of(0xff)]);
    await mkdir(odd);
    await writeFile(Buffer.concat([odd, Buffer.from('/file')]), Buffer.alloc(100_000));
    expect(await measureTree(folder)).to.deep.equal({ bytes: 100_000, entries: 2 });
  });

  it('is not known where a folder cannot be read', async () => {
    await writeFile(join(folder, 'file'), 'x');
    expect(await measureTree(join(folder, 'x'.repeat(300))).catch((error: unknown) => error)).to.have.property('code', 'ENAMETOOLONG'); // prettier-ignore
  });
});
