import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import sharp from 'sharp';
import { freePort } from '../../testing/free-port.js';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { startPhone } from '../../testing/phone/start-phone.js';
import { until } from '../../testing/until.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const fixture = (name: string): string =>
  fileURLToPath(new URL(`../../../phone/apk/fixtures/${name}`, import.meta.url));
const sha = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe("Debian's adb and the simulated phone", () => {
  let world: Awaited<ReturnType<typeof startPhone>>;
  let adb: AdbCommand;
  let folder: string;

  before(async function () {
    world = await startPhone();
    folder = await mkdtemp(path.join(os.tmpdir(), 'adb-'));
    const started = await AdbCommand.start(world.port);
    if (!started) {
      skip(this, NEEDS_ADB);
    }
    adb = started;
  });
  after(async () => {
    if (adb as AdbCommand | undefined) await adb.stop();
    await rm(folder, { recursive: true, force: true });
    await world.stop();
  });

  it('passes exit codes, both outputs and arguments in any script', async () => {
    const { status, stdout, stderr } = await adb.run('shell', 'echo "héllo 🙂"; echo bad >&2; exit 7');
    expect({ status, stdout, stderr }).to.deep.equal({ status: 7, stdout: 'héllo 🙂\n', stderr: 'bad\n' });
    expect(await adb.run('shell', '-x', 'echo v1; exit 7')).to.include({ status: 0, stdout: 'v1\n' });
  });

  it('ends standard input', async () => {
    expect((await adb.runWithInput('x\n', 'shell', 'cat')).stdout).to.equal('x\n');
    expect((await adb.runWithInput('echo from stdin\nexit 4\n', 'shell')).status).to.equal(4);
  });

  it('gives a prompt on a terminal and edits lines', async () => {
    const { stdout } = await adb.runWithInput('echo onX\x7fe\rexit\r', 'shell', '-tt');
    expect(stdout).to.contain('testphone:/ $ ').and.contain('\r\none\r\n');
  });

  it('gives Ctrl-D on a terminal to the program that reads, and to the shell at its prompt', async () => {
    const { stdout } = await adb.runWithInput(
      'cat\rone\r\x04echo $?-after\rcat\rtw\x04o\r\x04echo last\r\x04',
      'shell',
      '-tt',
    );
    expect(stdout).to.match(/\none\r\n[\s\S]*\n0-after\r\n[\s\S]*\no\r\n[\s\S]*\nlast\r\n/);
  });

  it('ends with the status of the signal that ended the shell', async () => {
    expect((await adb.run('shell', 'kill -9 $$; echo no')).status).to.equal(137);
    expect((await adb.run('shell', 'echo a; [[ b')).status).to.equal(1);
    expect(await adb.runWithInput('echo a\nselect x in y; do z; done\necho no\n', 'shell')).to.include({
      stdout: 'a\n',
      status: 1,
    });
  });

  it('ends logcat for statistics, and refuses formats and options that there are not', async () => {
    expect(await adb.run('logcat', '-S')).to.deep.include({ status: 0 });
    for (const [word, text] of [
      ['-v nosuch', 'Invalid parameter "nosuch" to -v'],
      ['--nosuch', "Unknown option 'nosuch'"],
      ['-B', "Unknown option 'B'"],
      ['-m 0', 'number greater than zero'],
    ] as const) {
      const { status, stdout, stderr } = await adb.run('logcat', ...word.split(' '), '-d');
      expect({ word, status }).to.deep.equal({ word, status: 1 });
      expect(stdout + stderr).to.contain(text);
    }
  });

  it('is binary-safe', async () => {
    const bytes = randomBytes(300_000);
    await adb.runWithInput(bytes, 'exec-in', 'cat > /data/local/tmp/bin');
    // exec-in ends when all bytes are sent, which is before all are written.
    while (!(await adb.run('shell', 'stat -c %s /data/local/tmp/bin')).stdout.startsWith('300000'));
    expect(sha((await adb.run('exec-out', 'cat', '/data/local/tmp/bin')).bytes)).to.equal(sha(bytes));
    expect(sha((await adb.run('shell', 'cat /data/local/tmp/bin')).bytes)).to.equal(sha(bytes));
  });

  it('pushes and pulls 64 MB unchanged', async () => {
    const bytes = randomBytes(64 * 1024 * 1024);
    await writeFile(path.join(folder, 'big'), bytes);
    expect((await adb.run('push', path.join(folder, 'big'), '/sdcard/Download/deep/big')).status).to.equal(0);
    expect((await adb.run('pull', '/sdcard/Download/deep/big', path.join(folder, 'back'))).status).to.equal(0);
    expect(sha(await readFile(path.join(folder, 'back')))).to.equal(sha(bytes));
    expect((await adb.run('shell', 'sha256sum /sdcard/Download/deep/big')).stdout).to.contain(sha(bytes));
  });

  it('reports why a transfer fails and serves the next', async () => {
    await writeFile(path.join(folder, 'small'), 'hi');
    const denied = await adb.run('push', path.join(folder, 'small'), '/system/app/x');
    expect(denied.status).to.equal(1);
    expect(denied.stdout + denied.stderr).to.contain('Read-only file system');
    expect((await adb.run('pull', '/data/data/com.x', folder)).status).to.equal(1);
    expect((await adb.run('ls', '/sdcard')).stdout).to.contain('Download');
  });

  it('captures the screen', async () => {
    const { bytes } = await adb.run('exec-out', 'screencap', '-p');
    expect(await sharp(bytes).metadata()).to.include({ format: 'png', width: 360, height: 640 });
    const raw = (await adb.run('exec-out', 'screencap')).bytes;
    expect(raw.length).to.equal(16 + 360 * 640 * 4);
    expect([0, 4, 8, 12].map((at) => raw.readUInt32LE(at))).to.deep.equal([360, 640, 1, 1]);
    expect(await sharp((await adb.run('exec-out', 'screencap', '-j')).bytes).metadata()).to.include({ format: 'jpeg' });
  });

  it('installs by every way and shows the label', async () => {
    expect((await adb.run('install', fixture('fixture-v2.apk'))).stdout).to.contain('Success');
    expect((await adb.run('shell', 'dumpsys package com.example.fixture')).stdout).to.match(/versionCode=42 minSdk=21[\s\S]*label=Pröbe 例/); // prettier-ignore
    expect((await adb.run('shell', 'pm list packages -3')).stdout).to.equal('package:com.example.fixture\n');
    expect((await adb.run('install', '--no-streaming', '-r', fixture('fixture-v2.apk'))).stdout).to.contain('Success');
    expect(
      (await adb.run('install-multiple', '-r', fixture('fixture-v2.apk'), fixture('fixture-split_de.apk'))).stdout,
    ).to.contain('Success');
    const older = await adb.run('install', fixture('fixture-v1.apk'));
    expect(older.stderr).to.contain('INSTALL_FAILED_VERSION_DOWNGRADE');
    expect(older.status).to.equal(1);
    expect((await adb.run('install', fixture('make-fixtures.sh'))).status).to.not.equal(0);
    expect((await adb.run('uninstall', 'com.example.fixture')).stdout).to.equal('Success\n');
    const several = await adb.run('install-multi-package', fixture('links-shop.apk'), fixture('links-map.apk'));
    expect({ status: several.status, out: several.stdout }).to.deep.include({ status: 0 });
    expect((await adb.run('shell', 'pm list packages -3')).stdout).to.equal('package:com.example.map\npackage:com.example.shop\n'); // prettier-ignore
    await adb.run('shell', 'pm uninstall com.example.map; pm uninstall com.example.shop');
    // Either all packages are installed or none.
    const refused = await adb.run('install-multi-package', fixture('links-shop.apk'), fixture('fixture-unsigned.apk'));
    expect(refused.status).to.not.equal(0);
    expect((await adb.run('shell', 'pm list packages -3')).stdout).to.equal('');
    expect((await adb.run('shell', 'ls -R /data/local/tmp')).stdout).to.not.contain('.apk');
  });

  it('streams the log until it is closed', async () => {
    const logcat = adb.spawn('logcat', '-v', 'brief', '-T', '1', 'Later:V', '*:S');
    const seen = new Promise<string>((resolve) => {
      let text = '';
      logcat.stdout.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('Later')) resolve(text);
      });
    });
    await until(() => world.phone.services.count('shell') > 0 && running().includes('logcat'));
    world.phone.machine.logcat.write('I', 'Later', 'it came');
    expect(await seen).to.match(/I\/Later {3}\( +\d+\): it came/);
    logcat.kill();
    await until(() => !running().includes('logcat'));
  });

  it('kills a command when the client is killed', async () => {
    const sleeping = adb.spawn('shell', 'sleep 1000');
    await until(() => running().includes('sleep'));
    sleeping.kill('SIGKILL');
    await until(() => !running().includes('sleep'));
  });

  it('hears of Ctrl-C on a terminal', async () => {
    const shell = adb.spawn('shell', '-tt');
    let text = '';
    shell.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    shell.stdin.write('sleep 1000\r');
    await until(() => running().includes('sleep'));
    shell.stdin.write('\x03');
    await until(() => !running().includes('sleep'));
    shell.stdin.write('echo $?\rexit\r');
    await until(() => text.includes('130'));
    shell.kill();
  });

  it('refuses the commands that a locked phone refuses, and no client hangs', async () => {
    for (const words of [
      ['reboot'],
      ['tcpip', '5555'],
      ['usb'],
      ['jdwp'],
      ['reverse', 'tcp:1', 'tcp:2'],
      ['sideload', fixture('fixture-v1.apk')],
      ['remount'],
    ])
      // prettier-ignore
      expect((await adb.run(...words)).status, words.join(' ')).to.not.equal(0);
    expect((await adb.run('root')).stdout).to.contain('cannot run as root');
    expect((await adb.run('disable-verity')).stdout).to.contain('cannot be disabled');
    expect((await adb.run('reverse', '--list')).stdout.trim()).to.equal('');
    expect(world.phone.services.count('reboot')).to.equal(1);
    expect((await adb.run('shell', 'echo alive')).stdout).to.equal('alive\n');
  });

  it('serves minicap through a forwarded port: a banner, then frames on change only', async () => {
    await writeFile(path.join(folder, 'minicap'), Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0]));
    for (const name of ['minicap', 'minicap.so'])
      await adb.run('push', path.join(folder, 'minicap'), `/data/local/tmp/${name}`);
    expect((await adb.run('shell', 'chmod 755 /data/local/tmp/minicap; /data/local/tmp/minicap -t -P 360x640@180x320/0')).stderr).to.contain('CANNOT LINK'); // prettier-ignore
    const minicap = adb.spawn(
      'shell',
      'LD_LIBRARY_PATH=/data/local/tmp exec /data/local/tmp/minicap -S -Q 80 -P 360x640@180x320/0',
    );
    await until(() => world.phone.machine.sockets.names().includes('localabstract:minicap'));
    const port = await freePort();
    await adb.run('forward', `tcp:${port}`, 'localabstract:minicap');
    const { connect } = await import('node:net');
    const socket = connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => (received = Buffer.concat([received, chunk])));
    await until(() => received.length > 28 && received.length === 28 + received.readUInt32LE(24));
    expect([...received.subarray(0, 2)]).to.deep.equal([1, 24]);
    expect([6, 10, 14, 18].map((at) => received.readUInt32LE(at))).to.deep.equal([360, 640, 180, 320]);
    expect(await sharp(received.subarray(28)).metadata()).to.include({ format: 'jpeg', width: 180, height: 320 });
    received = Buffer.alloc(0);
    world.screen.change();
    await until(() => received.length > 4 && received.length === 4 + received.readUInt32LE(0));
    socket.destroy();
    minicap.kill();
    await until(() => !world.phone.machine.sockets.names().includes('localabstract:minicap'));
    expect(world.screen.listenerCount).to.equal(0);
  });

  function running(): string[] {
    return world.phone.machine.processes.list().map(({ name }) => name);
  }
});
