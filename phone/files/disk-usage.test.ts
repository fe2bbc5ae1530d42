import { execFileSync } from 'node:child_process';
import { link, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { diskUsage } from './disk-usage.js';

const MIB = 1024 * 1024;

describe('the room that a folder takes', () => {
  let folder: string;
  beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'usage-'))));
  // Node's own function fails on the deepest of these paths.
  afterEach(() => void execFileSync('rm', ['-rf', folder]));

  it('is nothing where there is none', async () => expect(await diskUsage(join(folder, 'none'))).to.equal(0));

  it('counts contents, folders and links, a file with two names once, and no holes', async () => {
    await writeFile(join(folder, 'file'), Buffer.alloc(MIB, 1));
    await link(join(folder, 'file'), join(folder, 'again'));
    const sparse = await open(join(folder, 'sparse'), 'w');
    await sparse.truncate(1024 * MIB);
    await sparse.close();
    await mkdir(join(folder, 'empty'));
    expect(await diskUsage(folder)).to.be.within(MIB, MIB + 64 * 1024);
  });

  it('counts below paths of any length', async () => {
    const name = 'n'.repeat(200);
    const script = `cd "$1" && for i in $(seq 30); do mkdir ${name} && cd ${name} || exit 1; done && head -c ${MIB} /dev/zero > deep`;
    execFileSync('bash', ['-c', script, '-', folder]);
    expect(await diskUsage(folder)).to.be.within(MIB, 2 * MIB);
  });

  it('is reported as unknown where it cannot be counted', async () => {
    await rm(folder, { recursive: true });
    await writeFile(folder, 'x');
    expect(await diskUsage(folder)).to.be.below(64 * 1024);
    const failure = await diskUsage('\0').then(String, (error: unknown) => String(error));
    expect(failure).to.contain('null bytes');
  });
});
