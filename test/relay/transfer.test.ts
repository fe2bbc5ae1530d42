import { expect } from 'chai';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from '../../phone/adb/packet.js';
import { sendV2, syncHeader } from '../../phone/adb/sync-messages.js';
import { AdbClient, type Ran } from './adb-client.js';
import { RawAdb } from './raw-adb.js';
import { type RelayWorld, startRelayWorld } from './relay-world.js';
import { until } from '../../testing/until.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const LIMIT = 300_000;
const REFUSED = 'the relay moves 300000 bytes of files per connection';
const apk = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));

describe('files through the relay, where a connection may move 300,000 bytes', () => {
  let world: RelayWorld;
  let folder: string;

  before(async () => {
    world = await startRelayWorld({ limits: { transferBytes: LIMIT } });
    folder = mkdtempSync(join(tmpdir(), 'relay-files-'));
  });

  after(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (name: string, bytes: number): string => {
    const path = join(folder, name);
    writeFileSync(path, randomBytes(bytes));
    return path;
  };
  const onPhone = async (path: string): Promise<Buffer | undefined> =>
    world.phone.machine.shellFiles.read(path).catch(() => undefined);

  describe('with the stock adb', () => {
    let adb: AdbClient;
    let serial: string;

    before(async function () {
      if (!AdbClient.isThere()) {
        skip(this, NEEDS_ADB);
      }
      adb = await AdbClient.start();
    });

    after(async () => {
      if (AdbClient.isThere()) await adb.close();
    });

    beforeEach(async () => {
      const relay = await world.enable();
      await adb.run('disconnect');
      serial = await adb.login(relay);
    });

    const on = (...args: string[]): Promise<Ran> => adb.run('-s', serial, ...args);
    const text = ({ stdout, stderr }: Ran): string => stdout + stderr;

    it('lets exactly the limit up, and not a byte more', async () => {
      const all = file('all', LIMIT);
      expect((await on('push', all, '/sdcard/all')).status).to.equal(0);
      expect((await onPhone('/sdcard/all'))?.equals(readFileSync(all))).to.equal(true);
      const refused = await on('push', file('one', 1), '/sdcard/one');
      expect(refused.status).to.equal(1);
      expect(text(refused)).to.contain(REFUSED);
      expect(await onPhone('/sdcard/one')).to.equal(undefined);
      expect((await on('shell', 'echo works')).stdout).to.equal('works\n');
      expect((await world.get()).refused).to.deep.equal({ transfer: 1 });
    });

    it('cuts the push that would cross it, which leaves no file', async () => {
      const refused = await on('push', file('more', LIMIT + 1), '/sdcard/more');
      expect(refused.status).to.equal(1);
      expect(text(refused)).to.contain(`failed to copy`).and.contain(REFUSED);
      expect((await on('shell', 'ls /sdcard')).stdout).not.to.contain('more');
      expect((await on('push', file('large', 20_000_000), '/sdcard/large')).status).to.equal(1);
      expect((await on('shell', 'ls /sdcard')).stdout).not.to.contain('large');
    });

    it('lets exactly the limit down, and not a byte more', async () => {
      const bytes = randomBytes(LIMIT);
      await world.phone.machine.shellFiles.write('/sdcard/down', bytes);
      const back = join(folder, 'back');
      expect((await on('pull', '/sdcard/down', back)).status).to.equal(0);
      expect(readFileSync(back).equals(bytes)).to.equal(true);
      await world.phone.machine.shellFiles.write('/sdcard/two', 'xx');
      const refused = await on('pull', '/sdcard/two', join(folder, 'two'));
      expect(refused.status).to.equal(1);
      expect(text(refused)).to.contain(REFUSED);
      expect((await on('shell', 'echo works')).stdout).to.equal('works\n');
    });

    it('cuts the pull that would cross it', async () => {
      for (const size of [LIMIT + 1, 20_000_000]) {
        await world.phone.machine.shellFiles.write('/sdcard/over', randomBytes(size));
        const over = join(folder, 'over');
        const refused = await on('pull', '/sdcard/over', over);
        expect(refused.status).to.equal(1);
        expect(text(refused)).to.contain(REFUSED);
        expect(existsSync(over) ? statSync(over).size : 0).to.be.at.most(LIMIT);
        expect((await on('shell', 'echo works')).stdout).to.equal('works\n');
      }
    });

    it('counts both directions together, for each connection', async () => {
      const half = file('half', LIMIT / 2 + 1);
      expect((await on('push', half, '/sdcard/half')).status).to.equal(0);
      expect((await on('pull', '/sdcard/half', join(folder, 'half-back'))).status).to.equal(1);
      await adb.run('disconnect');
      await until(async () => (await world.get()).sessions.length === 0);
      await adb.login(await world.enable());
    });

    it('moves those of many files that fit, and fails the others', async () => {
      mkdirSync(join(folder, 'many'), { recursive: true });
      for (let index = 0; index < 40; index++) writeFileSync(join(folder, 'many', `f${index}`), randomBytes(10_000));
      const ran = await on('push', join(folder, 'many'), '/sdcard/');
      expect(ran.status).to.equal(1);
      expect(text(ran)).to.contain(REFUSED);
      const there = (await on('shell', 'ls /sdcard/many')).stdout.trim().split(/\s+/);
      expect(there).to.have.length(30);
    });

    it('counts installs, and refuses one that announces too large a size', async () => {
      expect((await on('install', apk)).stdout).to.contain('Success');
      const large = file('large.apk', LIMIT);
      const refused = await on('install', large);
      expect(refused.status).to.equal(1);
      expect(text(refused)).to.contain('failed to install').and.contain(REFUSED);
      expect((await on('install', '--no-streaming', large)).status).not.to.equal(0);
      expect((await on('install', '-r', apk)).stdout).to.contain('Success');
    });

    it('counts files copied by exec, but no screenshots', async () => {
      for (let count = 0; count < 3; count++)
        expect((await on('exec-out', 'screencap')).bytes.length).to.be.above(900_000);
      await world.phone.machine.shellFiles.write('/sdcard/exec', randomBytes(LIMIT + 1));
      expect((await on('exec-out', 'cat', '/sdcard/exec')).bytes.length).to.be.at.most(LIMIT);
      await adb.with({ input: randomBytes(LIMIT) }, '-s', serial, 'exec-in', 'cat > /sdcard/in');
      expect((await onPhone('/sdcard/in'))?.length ?? 0).to.be.below(LIMIT);
    });
  });

  describe('record by record', () => {
    let client: RawAdb;

    beforeEach(async () => (client = await RawAdb.loggedIn(await world.enable())));
    afterEach(() => client.end());

    const request = (id: string, path: string): Buffer =>
      Buffer.concat([syncHeader.write({ id, length: Buffer.byteLength(path) }), Buffer.from(path)]);
    const data = (bytes: number): Buffer =>
      Buffer.concat([syncHeader.write({ id: 'DATA', length: bytes }), randomBytes(bytes)]);
    const done = syncHeader.write({ id: 'DONE', length: 1_700_000_000 });
    const send = (path: string): Buffer => request('SEND', `${path},33188`);
    const file64 = (path: string, kilobytes: number): Buffer =>
      Buffer.concat([send(path), ...Array.from({ length: kilobytes / 50 }, () => data(50_000)), done]);

    /** Writes the stream in pieces of `size`, each acknowledged before the next. */
    async function write(stream: { id: number; phoneId: number }, bytes: Buffer, size: number): Promise<void> {
      for (let at = 0; at < bytes.length; at += size) {
        const before = acknowledgements(stream.id);
        client.send(Command.WRTE, stream.id, stream.phoneId, bytes.subarray(at, at + size));
        await until(() => acknowledgements(stream.id) > before || isClosed(stream.id));
      }
    }
    const acknowledgements = (id: number): number =>
      client.received.filter(({ command, arg1 }) => command === Command.OKAY && arg1 === id).length;
    const isClosed = (id: number): boolean =>
      client.isClosed || client.received.some(({ command, arg1 }) => command === Command.CLSE && arg1 === id);
    const records = (bytes: Buffer): string[] => {
      const found: string[] = [];
      for (let at = 0; at < bytes.length;) {
        const { id, length } = syncHeader.read(bytes, at);
        found.push(id);
        at += syncHeader.sizeBytes + length;
      }
      return found;
    };

    for (const size of [1_000_000, 65_536, 4_099, 1_021]) {
      it(`replies to files that were sent ahead in their order, in pieces of ${size}`, async () => {
        const stream = await client.open('sync:');
        const ahead = Buffer.concat([
          file64('/sdcard/r1', 100),
          file64('/sdcard/r2', 150),
          file64('/sdcard/r3', 150),
          file64('/sdcard/r4', 50),
          syncHeader.write({ id: 'QUIT', length: 0 }),
        ]);
        await write(stream, ahead, size);
        await client.next(({ command, arg1 }) => command === Command.CLSE && arg1 === stream.id);
        expect(records(client.dataOf(stream.id))).to.deep.equal(['OKAY', 'OKAY', 'FAIL', 'FAIL']);
        expect((await onPhone('/sdcard/r2'))?.length).to.equal(150_000);
        await until(async () => (await onPhone('/sdcard/r3')) === undefined);
        expect((await client.shell('echo on')).stdout).to.equal('on\n');
        for (const name of ['r1', 'r2']) await world.phone.machine.shellFiles.unlink(`/sdcard/${name}`);
      });
    }

    it('closes a stream of another protocol, and only that', async () => {
      const stream = await client.open('sync:');
      client.send(Command.WRTE, stream.id, stream.phoneId, Buffer.from('GET / HTTP/1.1\r\n\r\n'));
      await client.next(({ command, arg1 }) => command === Command.CLSE && arg1 === stream.id);
      expect((await client.shell('echo on')).stdout).to.equal('on\n');
    });

    it('ignores packets with the ids of two streams', async () => {
      const stream = await client.open('sync:');
      const shell = await client.open('shell,v2,TERM=dumb,raw:sleep 100');
      // The shell's own id, the sync stream's other end: no stream has both.
      for (let count = 0; count < 20; count++)
        client.send(Command.WRTE, shell.id, stream.phoneId, file64('/sdcard/sneak', 50));
      client.send(Command.WRTE, 0, stream.phoneId, file64('/sdcard/sneak', 50));
      expect((await client.shell('ls /sdcard')).stdout).not.to.contain('sneak');
    });

    it('counts compressed and versioned requests alike', async () => {
      const stream = await client.open('sync:');
      const setup = sendV2.write({ id: 'SND2', mode: 0o100644, flags: 0 });
      const first = Buffer.concat([
        request('SND2', '/sdcard/v2'),
        setup,
        ...Array.from({ length: 6 }, () => data(50_000)),
        done,
      ]);
      await write(stream, first, 1_000_000);
      await until(() => client.dataOf(stream.id).length > 0);
      await write(stream, Buffer.concat([request('SND2', '/sdcard/v3'), setup, data(1), done]), 1_000_000);
      await until(() => records(client.dataOf(stream.id)).length === 2);
      expect(records(client.dataOf(stream.id))).to.deep.equal(['OKAY', 'FAIL']);
    });
  });
});
