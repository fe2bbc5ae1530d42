import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { readIdentity } from '../../phone/link/identity.js';
import { PhoneLink } from '../../phone/link/phone-link.js';
import { type ContainerEngine, startEngine } from '../../testing/container-engine.js';
import { phoneImage } from '../../testing/container-engine/phone-image.js';
import { freePort } from '../../testing/free-port.js';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';

const NETWORK = 'phones';
const ADB_PORT = 5555;
const PNG_SIZE_OFFSET = 16;

describe('a simulated phone in a container', function () {
  let folder: string;
  let engine: ContainerEngine;
  let image: string;
  let phones = 0;

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'container-'));
    const started = await startEngine(folder);
    if (typeof started === 'string') skip(this, started);
    engine = started;
    image = await engine.load(await phoneImage());
    // The network is like those of the driver, and differs from those of other engines on this machine.
    const subnet = `10.${randomInt(100, 200)}.${randomInt(256)}.0/24`;
    await engine.cli('network', 'create', '--internal', '--subnet', subnet, NETWORK);
  });
  after(async () => {
    await (engine as ContainerEngine | undefined)?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a phone with /data in a folder. Returns its container's name. */
  const run = async (data: string, ...words: string[]): Promise<string> => {
    const name = `phone-${phones++}`;
    await engine.cli('run', '--detach', '--name', name, '--network', NETWORK, '--volume', `${data}:/data`, image, ...words); // prettier-ignore
    return name;
  };
  const newData = (): Promise<string> => mkdtemp(join(folder, 'data-'));
  const addressOf = async (name: string): Promise<string> => {
    const format = `{{.NetworkSettings.Networks.${NETWORK}.IPAddress}}`;
    return (await engine.cli('inspect', '--format', format, name)).trim();
  };
  const stateOf = async (name: string): Promise<{ state: string; exit: number }> => {
    const printed = await engine.cli('inspect', '--format', '{{.State.Status}} {{.State.ExitCode}}', name);
    const [state = '', exit] = printed.trim().split(' ');
    return { state, exit: Number(exit) };
  };
  /** Returns the status with which the container ends. */
  const ended = async (name: string): Promise<number> => Number(await engine.cli('wait', name));

  /** Runs a shell command on the phone, as soon as its adbd responds. */
  const shell = async (name: string, command: string): Promise<string> => {
    const link = await open(name);
    try {
      const { stdout } = await link.shell(command, { timeoutMs: 60_000, maxBytes: 65_536, doing: 'test' });
      return Buffer.from(stdout).toString();
    } finally {
      link.close();
    }
  };
  const open = async (name: string): Promise<PhoneLink> => {
    const address = await addressOf(name);
    let link: PhoneLink | undefined;
    await until(async () => {
      link = await PhoneLink.open({
        host: address,
        port: ADB_PORT,
        clock: systemClock,
        connectSocket: (host, port) => net.connect({ host, port }),
        timeoutMs: 5_000,
      }).catch(() => undefined);
      return link !== undefined;
    }, 60_000);
    return link!;
  };
  const booted = async (name: string): Promise<void> => {
    await shell(name, 'until [ "$(getprop sys.boot_completed)" = 1 ]; do sleep 0.05; done');
  };
  const identityOf = async (name: string): Promise<string> => {
    const link = await open(name);
    try {
      return await readIdentity(link, { timeoutMs: 60_000 });
    } finally {
      link.close();
    }
  };

  it('boots with the serial number, the screen and the properties of its words', async () => {
    const name = await run(
      await newData(),
      'androidboot.serialno=A1B2C3',
      'androidboot.redroid_width=540',
      'androidboot.redroid_height=1200',
      'androidboot.redroid_dpi=260',
      'androidboot.redroid_fps=15',
      'androidboot.use_memfd=1',
      'ro.product.model=Pixel 7',
      'something_else',
    );
    await booted(name);
    expect(
      await shell(
        name,
        'getprop ro.serialno; getprop ro.boot.use_memfd; getprop ro.hardware; getprop ro.product.model; wm size; wm density',
      ),
    ).to.equal('A1B2C3\n1\nredroid\nPixel 7\nPhysical size: 540x1200\nPhysical density: 260\n');
  });

  it('reports its boot in the words of Android', async () => {
    const name = await run(await newData());
    await booted(name);
    const facts = [
      'getprop init.svc.bootanim',
      'getprop sys.user.0.ce_available',
      ...['activity', 'package', 'window', 'input'].map((service) => `service check ${service}`),
      'dumpsys window | grep mCurrentFocus',
      'dumpsys power | grep mWakefulness=',
      'wm dismiss-keyguard && input keyevent KEYCODE_WAKEUP && echo awake',
    ];
    expect((await shell(name, facts.join('; '))).trim().split('\n').map((line) => line.trim())).to.deep.equal([
      'stopped',
      'true',
      'Service activity: found',
      'Service package: found',
      'Service window: found',
      'Service input: found',
      'mCurrentFocus=Window{1a2b3c4 u0 com.cloudphone.launcher/com.cloudphone.launcher.Home}',
      'mWakefulness=Awake',
      'awake',
    ]); // prettier-ignore
  });

  it('keeps its state, and has another identity, although its kernel did not restart', async () => {
    const data = await newData();
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
    const name = await run(data, 'androidboot.serialno=KEPT');
    await booted(name);
    const state = 'cat /sdcard/file; settings get secure android_id; getprop persist.sys.timezone';
    await shell(name, 'echo kept > /sdcard/file; cmd alarm set-timezone Asia/Tokyo');
    const before = { identity: await identityOf(name), state: await shell(name, state) };
    expect(before.state).to.match(/^kept\n[0-9a-f]{16}\nAsia\/Tokyo\n$/);

    await engine.cli('stop', '--time', '20', name);
    expect(await stateOf(name)).to.deep.include({ state: 'exited', exit: 0 });
    await engine.cli('start', name);
    await booted(name);
    const after = { identity: await identityOf(name), state: await shell(name, state) };
    expect(after.state).to.equal(before.state);
    expect(after.identity).not.to.equal(before.identity);
    for (const { identity } of [before, after]) expect(identity).to.match(new RegExp(`^KEPT/${bootId}\\.\\d+$`));

    // A driver makes another container with the same files.
    await engine.cli('rm', '--force', name);
    const again = await run(data, 'androidboot.serialno=KEPT');
    await booted(again);
    expect(await shell(again, state)).to.equal(before.state);
  });

  it('ends with 129 when it reboots, 130 when it is powered off, 137 when it is killed, and boots again', async () => {
    const name = await run(await newData());
    await booted(name);
    await shell(name, 'echo kept > /sdcard/file; reboot').catch(() => undefined);
    expect(await ended(name)).to.equal(129);
    await engine.cli('start', name);
    await booted(name);
    await shell(name, 'echo more >> /sdcard/file; reboot -p').catch(() => undefined);
    expect(await ended(name)).to.equal(130);
    await engine.cli('start', name);
    await booted(name);
    await shell(name, 'echo most >> /sdcard/file');
    process.kill(Number(await engine.cli('inspect', '--format', '{{.State.Pid}}', name)), 'SIGKILL');
    expect(await ended(name)).to.equal(137);
    await engine.cli('start', name);
    await booted(name);
    expect(await shell(name, 'cat /sdcard/file')).to.equal('kept\nmore\nmost\n');
  });

  it('keeps its folder for one container', async () => {
    const data = await newData();
    await booted(await run(data));
    const second = await run(data);
    expect(await ended(second)).to.equal(1);
    expect(await engine.logs(second)).to.contain('/data/simulated is in use');
  });

  it('survives the engine, which stops it after it has started again', async function () {
    if (engine.kind === 'docker') skip(this, "Docker's daemon ends containers that a daemon before it has started");
    const name = await run(await newData());
    await booted(name);
    const identity = await identityOf(name);
    await engine.kill9();
    expect(await identityOf(name)).to.equal(identity);
    await engine.restart();
    await engine.cli('stop', name);
    expect(await stateOf(name)).to.deep.include({ state: 'exited', exit: 0 });
  });

  describe('with a fault of its boot', () => {
    const withFault = async (word: string): Promise<string> => {
      const data = await newData();
      const fault = join(data, 'local/tmp/simulated-boot-fault');
      await mkdir(join(data, 'local/tmp'), { recursive: true });
      await writeFile(fault, `${word}\n`);
      return run(data);
    };

    it('never completes it, and stops in time', async () => {
      const name = await withFault('never-boots');
      expect(await shell(name, 'getprop sys.boot_completed')).to.equal('\n');
      await engine.cli('stop', '--time', '20', name);
      expect((await stateOf(name)).exit).to.equal(0);
    });

    it('ends with a line on standard error', async () => {
      const name = await withFault('exits');
      expect(await ended(name)).to.equal(1);
      expect(await engine.logs(name)).to.contain('The phone did not boot: it stopped at system.');
    });

    it('accepts connections and never responds', async () => {
      const link = await open(await withFault('silent'));
      try {
        const ask = link.shell('echo here', { timeoutMs: 2_000, maxBytes: 100, doing: 'test' });
        expect(await ask.catch((error: unknown) => error)).to.be.instanceOf(Error);
      } finally {
        link.close();
      }
    });
  });

  it("draws its screen and installs an app for Debian's adb", async function () {
    if (!AdbCommand.isInstalled()) skip(this, NEEDS_ADB);
    const name = await run(await newData(), 'androidboot.redroid_width=540', 'androidboot.redroid_height=960');
    await booted(name);
    const adb = new AdbCommand({ serverPort: await freePort(), serial: `${await addressOf(name)}:${ADB_PORT}` });
    try {
      await adb.host('connect', adb.serial);
      const { bytes } = await adb.run('exec-out', 'screencap', '-p');
      expect([bytes.readUInt32BE(PNG_SIZE_OFFSET), bytes.readUInt32BE(PNG_SIZE_OFFSET + 4)]).to.deep.equal([540, 960]);
      expect((await adb.run('shell', 'uiautomator', 'dump', '/dev/tty')).stdout).to.contain('bounds="[0,0][540,960]"');
      const apk = join(import.meta.dirname, '../../../phone/apk/fixtures/fixture-v2.apk');
      expect((await adb.run('install', apk)).stdout).to.contain('Success');
    } finally {
      await adb.stop();
    }
  });
});
