import net from 'node:net';
import { Readable } from 'node:stream';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { Adb, AdbDaemonTransport, AdbPacket, AdbPacketSerializeStream } from '@yume-chan/adb';
import type { Consumable } from '@yume-chan/stream-extra';
import { ReadableStream, StructDeserializeStream, WritableStream } from '@yume-chan/stream-extra';
import { ADB } from 'appium-adb';
import adbkit from '@devicefarmer/adbkit';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

describe('ADB libraries and the simulated phone', () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  before(async () => (world = await startPhone()));
  after(() => world.stop());

  describe('@yume-chan/adb over our own socket', () => {
    let adb: Adb;
    before(async () => (adb = await connect(world.port)));
    after(() => adb.close());

    it('runs commands with their exit code and both outputs', async () => {
      const result = await adb.subprocess.shellProtocol!.spawnWaitText('echo out; echo err >&2; exit 3');
      expect(result).to.deep.equal({ stdout: 'out\n', stderr: 'err\n', exitCode: 3 });
    });

    it('reads properties from the banner and the phone', async () => {
      expect(adb.banner.model).to.equal('Phone 720p');
      expect(await adb.getProp('ro.build.version.sdk')).to.equal('34');
    });

    it('writes, stats, lists and reads files', async () => {
      const bytes = randomBytes(3_000_000);
      const sync = await adb.sync();
      await sync.write({
        filename: '/sdcard/Download/y.bin',
        file: streamOf(bytes),
        permission: 0o644,
        mtime: 1_700_000_000,
      });
      const stat = await sync.stat('/sdcard/Download/y.bin');
      expect(Number(stat.size)).to.equal(bytes.length);
      expect(Number(stat.mtime)).to.equal(1_700_000_000);
      expect((await sync.readdir('/sdcard/Download')).map(({ name }) => name)).to.include('y.bin');
      const parts: Uint8Array[] = [];
      for await (const part of sync.read('/sdcard/Download/y.bin')) parts.push(part);
      expect(Buffer.concat(parts).equals(bytes)).to.equal(true);
      await sync.dispose();
    });

    it('takes the framebuffer', async () => {
      const frame = await adb.framebuffer();
      expect(frame).to.include({ width: 360, height: 640, bpp: 32, red_offset: 0, alpha_offset: 24 });
      expect(frame.data.length).to.equal(360 * 640 * 4);
    });
  });

  describe('through an adb server', () => {
    let server: AdbCommand;
    before(async function () {
      const started = await AdbCommand.start(world.port);
      if (!started) {
        skip(this, NEEDS_ADB);
      }
      server = started;
    });
    after(async () => {
      if (server as AdbCommand | undefined) await server.stop();
    });

    it('@devicefarmer/adbkit sees a booted phone with features, packages, files and pictures', async () => {
      const client = adbkit.Adb.createClient({ host: '127.0.0.1', port: server.serverPort });
      const device = client.getDevice(server.serial);
      await device.waitBootComplete();
      expect(await device.getProperties()).to.include({ 'ro.product.brand': 'cloudphone', 'sys.boot_completed': '1' });
      expect(await device.getFeatures()).to.include({ 'android.hardware.touchscreen': true });
      expect(await device.getPackages()).to.include('com.example.notes');
      expect(await device.isInstalled('com.example.notes')).to.equal(true);
      const push = await device.push(Readable.from([Buffer.from('from adbkit')]), '/sdcard/kit.txt');
      await new Promise((resolve, reject) => push.on('end', resolve).on('error', reject));
      expect((await collect(await device.pull('/sdcard/kit.txt'))).toString()).to.equal('from adbkit');
      expect((await device.readdir('/sdcard')).map((entry: { name: string }) => entry.name)).to.include('kit.txt');
      expect((await collect(await device.screencap())).subarray(1, 4).toString()).to.equal('PNG');
      expect((await collect(await device.shell('echo hi'))).toString()).to.equal('hi\n');
    });

    it('appium-adb finds the phone ready, its focus and its apps', async () => {
      const adb = new ADB({ adbPort: server.serverPort, udid: server.serial, adbExecTimeout: 15_000 });
      // createADB searches for an SDK; Debian's adb is enough.
      adb.executable = { path: 'adb', defaultArgs: ['-P', String(server.serverPort)] };
      adb.setDeviceId(server.serial);
      expect(await adb.getApiLevel()).to.equal(34);
      expect(await adb.ping()).to.equal(true);
      await adb.waitForDevice(10);
      expect(await adb.isAppInstalled('com.example.notes')).to.equal(true);
      expect(await adb.getFocusedPackageAndActivity()).to.deep.equal({
        appPackage: 'com.example.home',
        appActivity: '.HomeActivity',
      });
      expect(await adb.getScreenSize()).to.equal('360x640');
      expect(await adb.isScreenLocked()).to.equal(false);
      expect(await adb.isAnimationOn()).to.equal(true);
      expect(await adb.getTimeZone()).to.equal('Europe/Paris');
      expect(await adb.fileExists('/sdcard')).to.equal(true);
      expect((await adb.getPackageInfo('com.example.notes')).versionName).to.equal('1.0');
      await adb.startApp({ pkg: 'com.example.notes', activity: '.MainActivity', waitForLaunch: true });
      expect(await adb.listProcessStatus()).to.contain('com.example.notes');
      expect(await adb.processExists('com.example.notes')).to.equal(true);
    });
  });
});

async function connect(port: number): Promise<Adb> {
  const socket = net.connect(port, '127.0.0.1');
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
  const incoming = new ReadableStream<Uint8Array>({
    start(controller) {
      socket.on('data', (bytes) => {
        if (!isDone) controller.enqueue(bytes);
      });
      socket.on('close', () => {
        if (!isDone) controller.close();
        isDone = true;
      });
    },
    cancel: () => {
      isDone = true;
      socket.destroy();
    },
  });
  let isDone = false;
  const outgoing = new WritableStream<Consumable<Uint8Array>>({
    write: (chunk) => chunk.tryConsume((bytes) => new Promise<void>((resolve) => socket.write(bytes, () => resolve()))),
    close: () => void socket.end(),
  });
  const serialize = new AdbPacketSerializeStream();
  void serialize.readable.pipeTo(outgoing).catch(() => undefined); // the test closes the connection in its middle
  const transport = await AdbDaemonTransport.authenticate({
    serial: 'test',
    connection: {
      readable: incoming.pipeThrough(new StructDeserializeStream(AdbPacket)),
      writable: serialize.writable,
    },
    credentialStore: { generateKey: () => Promise.reject(new Error('no key is needed')), *iterateKeys() { /* none */ } }, // prettier-ignore
  });
  return new Adb(transport);
}

function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });
}

async function collect(stream: AsyncIterable<unknown>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) if (Buffer.isBuffer(part)) parts.push(part);
  return Buffer.concat(parts);
}
