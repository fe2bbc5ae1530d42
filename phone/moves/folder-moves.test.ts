import { execFileSync } from 'node:child_process';
import { link, lstat, mkdir, mkdtemp, open, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pathExists } from '../files/path-exists.js';
import { FolderMoves } from './folder-moves.js';

const MOVED = { phoneId: 'ph_1', snapshotIds: ['snap_2', 'snap_1'] };

describe('phones in folders that move', () => {
  let folder: string;
  let from: FolderMoves;
  let to: FolderMoves;
  let phone: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'moves-'));
    const more = { owners: true, without: ['run.json'], needs: async () => '', prepare: async () => undefined };
    from = new FolderMoves({ directory: join(folder, 'from'), ...more });
    to = new FolderMoves({ directory: join(folder, 'to'), ...more });
    phone = join(folder, 'from', 'phones', 'ph_1');
    for (const id of ['snap_1', 'snap_2']) {
      await mkdir(join(folder, 'from', 'snapshots', id), { recursive: true });
      await writeFile(join(folder, 'from', 'snapshots', id, 'kept'), id);
    }
    await mkdir(join(phone, 'data'), { recursive: true });
    await writeFile(join(phone, 'phone.json'), '{}', { mode: 0o640 });
    await writeFile(join(phone, 'run.json'), 'of this host');
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function move(): Promise<void> {
    const { checksum } = await from.describe(MOVED);
    expect(await to.unpack('job_1', from.pack(MOVED))).to.equal(checksum);
    await to.arrive('job_1');
  }

  it('keep contents, permissions, times, links, hard links, holes, and names of any kind', async () => {
    const data = join(phone, 'data');
    await writeFile(join(data, ' -x\n\u00e9"'), 'odd');
    await link(join(data, ' -x\n\u00e9"'), join(data, 'again'));
    await symlink('/etc/passwd', join(data, 'link'));
    const sparse = await open(join(data, 'sparse'), 'w', 0o755);
    await sparse.truncate(512 * 1024 * 1024);
    await sparse.close();
    execFileSync('touch', ['-d', '2001-02-03', join(data, 'sparse')]);
    await move();
    const arrived = join(folder, 'to', 'phones', 'ph_1', 'data');
    expect(await readFile(join(arrived, ' -x\n\u00e9"'), 'utf8')).to.equal('odd');
    expect((await lstat(join(arrived, 'again'))).nlink).to.equal(2);
    expect((await lstat(join(arrived, 'link'))).isSymbolicLink()).to.equal(true);
    const { size, blocks, mode, mtime } = await lstat(join(arrived, 'sparse'));
    expect([size, mode & 0o777, mtime.getFullYear()]).to.deep.equal([512 * 1024 * 1024, 0o755, 2001]);
    expect(blocks * 512).to.be.below(1024 * 1024);
    expect(await readFile(join(folder, 'to', 'snapshots', 'snap_2', 'kept'), 'utf8')).to.equal('snap_2');
  });

  it('leave what is about the old host alone, and its sockets', async () => {
    const server = createServer().listen(join(phone, 'data', 'socket'));
    try {
      await move();
    } finally {
      server.close();
    }
    const arrived = join(folder, 'to', 'phones', 'ph_1');
    expect(await pathExists(join(arrived, 'phone.json'))).to.equal(true);
    expect(await pathExists(join(arrived, 'run.json'))).to.equal(false);
    expect(await pathExists(join(arrived, 'data', 'socket'))).to.equal(false);
  });

  it('have another checksum when a byte or a permission of the copy differs', async () => {
    const { checksum } = await from.describe(MOVED);
    execFileSync('chmod', ['600', join(phone, 'phone.json')]);
    expect(await to.unpack('job_1', from.pack(MOVED))).not.to.equal(checksum);
    execFileSync('chmod', ['640', join(phone, 'phone.json')]);
    await writeFile(join(phone, 'phone.json'), '[]');
    expect(await to.unpack('job_1', from.pack(MOVED))).not.to.equal(checksum);
  });

  it('are no phones of the new host before they arrive, and arrive once, also after a crash between two renames', async () => {
    await to.unpack('job_1', from.pack(MOVED));
    expect(await pathExists(join(folder, 'to', 'phones'))).to.equal(false);
    expect(await to.listArrivals()).to.deep.equal(['job_1']);
    await mkdir(join(folder, 'to', 'snapshots'), { recursive: true });
    execFileSync('mv', [
      join(folder, 'to', 'arriving', 'job_1', 'snapshots', 'snap_1'),
      join(folder, 'to', 'snapshots'),
    ]);
    await to.arrive('job_1');
    await to.arrive('job_1');
    expect(await to.listArrivals()).to.deep.equal([]);
    for (const part of ['phones/ph_1/phone.json', 'snapshots/snap_1/kept', 'snapshots/snap_2/kept'])
      expect(await pathExists(join(folder, 'to', part)), part).to.equal(true);
  });

  it('arrive in the place of an old copy of the same phone, also after a crash between the two renames', async () => {
    const place = join(folder, 'to', 'phones', 'ph_1');
    for (const isKilled of [false, true]) {
      await mkdir(join(place, 'data'), { recursive: true });
      await writeFile(join(place, 'phone.json'), 'old');
      await to.unpack('job_1', from.pack(MOVED));
      if (isKilled) execFileSync('mv', [place, join(folder, 'to', 'arriving', 'job_1', 'old')]);
      await to.arrive('job_1');
      await to.arrive('job_1');
      expect(await readFile(join(place, 'phone.json'), 'utf8')).to.equal('{}');
      expect(await to.listArrivals()).to.deep.equal([]);
    }
  });

  it('leave nothing of an archive that ends early, or is none', async () => {
    async function* half(): AsyncIterable<Uint8Array> {
      for await (const piece of from.pack(MOVED)) {
        yield piece.subarray(0, 700);
        throw new Error('the sender has gone');
      }
    }
    async function* noise(): AsyncIterable<Uint8Array> {
      yield Buffer.alloc(100_000, 'x');
    }
    for (const content of [half(), noise()]) {
      const failure = await to.unpack('job_1', content).then(() => 'none', String);
      expect(failure).to.match(/the sender has gone|CopyFailure/);
      expect(await to.listArrivals()).to.deep.equal([]);
    }
  });

  it('end with an error when a folder is missing, or names are no ids', async () => {
    await rm(join(folder, 'from', 'snapshots', 'snap_1'), { recursive: true });
    expect(await to.unpack('job_1', from.pack(MOVED)).then(() => 'none', String)).to.contain('snap_1');
    expect(await to.discard('../phones').then(() => 'none', String)).to.contain('not an id');
  });
});
