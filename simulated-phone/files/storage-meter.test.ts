import { constants } from 'node:fs';
import { link, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { FakeClock } from '../../testing/fake-clock.js';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { Disk } from './disk.js';
import { PhoneFileError } from './file-error.js';
import { MIN_HOST_FREE_BYTES, HostSpace } from '../../kit/files/host-space.js';
import { StorageMeter } from './storage-meter.js';
import { ENTRY_BYTES } from '../../phone/files/tree-usage.js';

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (error instanceof PhoneFileError ? error.code : String(error)),
  );

describe('the storage of a phone', () => {
  it('is used up by empty files, folders and links', async () => {
    const world = await startPhone({ storageBytes: 400_000 });
    try {
      const { machine } = world.phone;
      const before = (await machine.files.usage()).usedBytes;
      const made = 'cd /data/local/tmp; : > file; mkdir folder; ln -s file link';
      await runScript(machine, made);
      expect((await machine.files.usage()).usedBytes).to.equal(before + 3 * ENTRY_BYTES);
      for (const [what, command] of [
        ['files', ': > file$i'],
        ['folders', 'mkdir folder$i'],
        ['links', 'ln -s x link$i'],
      ] as const) {
        const { stderr } = await runScript(machine, `cd /data/local/tmp; i=0; while [ $i -lt 100 ]; do ${command}; i=$((i+1)); done`); // prettier-ignore
        expect(stderr, what).to.contain('No space left on device');
        expect((await machine.files.usage()).usedBytes).to.be.within(400_000 - ENTRY_BYTES, 400_000);
        await runScript(machine, 'cd /data/local/tmp; rm -r file* folder* link*');
        expect((await machine.files.usage()).usedBytes).to.equal(before);
      }
    } finally {
      await world.stop();
    }
  });

  it('counts the same after every change as a new count does', async () => {
    const world = await startPhone({ storageBytes: 4_000_000 });
    try {
      const { machine } = world.phone;
      await machine.files.usage();
      const script =
        'cd /data/local/tmp; mkdir -p a/b/c; echo one > a/1; echo two >> a/1; cp a/1 a/2; mv a/2 a/1; mv a/1 a/1; ' +
        'ln -s 1 a/l; rm a/l; ln -s 1 a/l; echo three > a/l; mv a/l a/1; : > x; : > x; mkdir y; rmdir y; rmdir a; mkdir a; rm nothing; cat /dev/zero | head -c 9000 > big';
      await runScript(machine, script);
      const { usedBytes } = await machine.files.usage();
      const root = path.join(world.directory, 'files');
      expect(usedBytes).to.equal(await new StorageMeter({ root, capacityBytes: 1 }).usedBytes());
    } finally {
      await world.stop();
    }
  });

  describe('with a bound of its entries', () => {
    let root: string;
    beforeEach(async () => (root = await mkdtemp(path.join(os.tmpdir(), 'entries-'))));
    afterEach(() => rm(root, { recursive: true, force: true }));

    it('takes no more at the bound, also of many that come at the same time', async () => {
      const disk = new Disk({ root, capacityBytes: 2 ** 30, maxEntries: 20 });
      await disk.prepare(['/data/local/tmp']);
      const names = Array.from({ length: 200 }, (_, at) => `/data/local/tmp/${at}`);
      const codes = await Promise.all(names.map((name) => codeOf(disk.mkdir(name))));
      expect(codes.filter((code) => code === 'none')).to.have.length(17);
      expect(codes.filter((code) => code === 'ENOSPC')).to.have.length(183);
      const made = names[codes.indexOf('none')] ?? '';
      await disk.rmdir(made);
      expect(await codeOf(disk.symlink('x', made))).to.equal('none');
      expect(await codeOf(disk.symlink('x', '/data/local/tmp/one-more'))).to.equal('ENOSPC');
    });
  });
});

describe('the room of a host', () => {
  const clock = new FakeClock();
  let free = { freeBytes: MIN_HOST_FREE_BYTES + 1_000, freeEntries: 1_000_000 };
  let measured = 0;
  const space = (): HostSpace => new HostSpace({ measure: async () => (measured++, free), clock });

  it('is kept from phones below its floor, and counts their writes between two measurements', async () => {
    const host = space();
    const results = await Promise.all(Array.from({ length: 20 }, () => host.take(100)));
    expect(results.filter((taken) => taken)).to.have.length(10);
    expect(measured).to.equal(1);
    clock.turn(500);
    expect(await host.take(100)).to.equal(true);
    expect(measured).to.equal(2);
    free = { freeBytes: 2 ** 40, freeEntries: 100 };
    clock.turn(500);
    expect(await host.take(1)).to.equal(false);
  });

  it('fails the writes of a phone, and none of its removals, while there is too little', async () => {
    free = { freeBytes: 2 ** 40, freeEntries: 1_000_000 };
    const world = await startPhone({ hostSpace: space() });
    try {
      const { machine } = world.phone;
      await runScript(machine, 'echo x > /data/local/tmp/before');
      free.freeBytes = MIN_HOST_FREE_BYTES - 1;
      clock.turn(500);
      const { stderr } = await runScript(machine, 'cd /data/local/tmp; echo x > after; echo x >> before; mkdir folder');
      expect(stderr.match(/No space left on device/g)).to.have.length(3);
      expect(await codeOf(machine.files.write('/sdcard/pushed', 'x'))).to.equal('ENOSPC');
      expect((await runScript(machine, 'rm /data/local/tmp/before')).stderr).to.equal('');
      free.freeBytes = 2 ** 40;
      clock.turn(500);
      expect((await runScript(machine, 'echo x > /data/local/tmp/after')).stderr).to.equal('');
    } finally {
      await world.stop();
    }
  });

  it('is kept from copies of files that a snapshot has too, and taken by those that are made', async () => {
    const root = await mkdtemp(path.join(os.tmpdir(), 'copies-'));
    try {
      const room = { freeBytes: 2 ** 40 };
      const hostSpace = new HostSpace({ measure: async () => room, clock });
      const disk = new Disk({ root, capacityBytes: 2 ** 30, hostSpace });
      await disk.prepare(['/data']);
      const names = ['/data/a', '/data/b'];
      for (const name of names) {
        await writeFile(disk.hostPath(name), Buffer.alloc(50_000));
        await link(disk.hostPath(name), path.join(root, `saved-${path.basename(name)}`));
      }
      const used = await disk.storage.usedBytes();
      const isOwn = async (name: string): Promise<boolean> => (await stat(disk.hostPath(name))).nlink === 1;

      room.freeBytes = MIN_HOST_FREE_BYTES + 40_000;
      clock.turn(500);
      for (const change of [
        () => disk.setTimes('/data/a', 0),
        () => disk.chmod('/data/a', 0o600),
        () => disk.open('/data/a', constants.O_WRONLY | constants.O_APPEND),
      ]) {
        expect(await codeOf(change())).to.equal('ENOSPC');
        expect(await isOwn('/data/a')).to.equal(false);
      }

      // The room is enough for one of the two, and both come before the next measurement.
      room.freeBytes = MIN_HOST_FREE_BYTES + 90_000;
      clock.turn(500);
      const codes = await Promise.all(names.map((name) => codeOf(disk.setTimes(name, 0))));
      expect(codes).to.have.members(['none', 'ENOSPC']);
      expect(await isOwn(names[codes.indexOf('none')] ?? '')).to.equal(true);
      expect(await readdir(path.join(root, 'incoming'))).to.deep.equal([]);
      expect(await disk.storage.usedBytes(), 'with the folder of copies').to.equal(used + ENTRY_BYTES);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});
