import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { once } from 'node:events';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { Command, encodePacket } from '../../phone/adb/packet.js';
import { PhoneFailure } from '../../phone/driver.js';
import { runScript } from '../../testing/phone/run-script.js';
import { startPhone } from '../../testing/phone/start-phone.js';

const fixture = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));

describe('SimulatedPhone', () => {
  let directory: string;
  let world: Awaited<ReturnType<typeof startPhone>>;
  beforeEach(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'phone-'));
    world = await startPhone({ directory });
  });
  afterEach(async () => {
    await world.stop();
    await rm(directory, { recursive: true, force: true });
  });

  it('boots in stages that ADB can watch', async () => {
    const { phone } = world;
    await phone.shutdown();
    const seen: string[] = [];
    await phone.boot((percent) => {
      const { properties } = phone.machine;
      seen.push(`${percent} ${properties.get('sys.boot_completed')} ${properties.get('init.svc.bootanim')}`);
    });
    expect(seen).to.deep.equal(['5  ', '30  ', '75  running', '95  running', '100 1 stopped']);
  });

  it('reports that services are missing while it boots', async () => {
    const { phone } = world;
    await phone.shutdown();
    const responses: Promise<{ stdout: string; status: number }>[] = [];
    await phone.boot((percent) => {
      if (percent === 5)
        responses.push(runScript(phone.machine, 'service check package'), runScript(phone.machine, 'input tap 1 1'));
    });
    const [service, tap] = await Promise.all(responses);
    expect(service?.stdout).to.equal('Service package: not found\n');
    expect(tap?.status).to.not.equal(0);
  });

  it('keeps its port, settings, properties, packages and files over a reboot, and forgets the rest', async () => {
    const { phone } = world;
    const port = phone.adbPort;
    await phone.machine.files.write('/data/local/tmp/x.apk', await readFile(fixture));
    await runScript(
      phone.machine,
      'settings put global k v; setprop persist.sys.locale de-DE; setprop debug.x 1; pm install /data/local/tmp/x.apk',
    );
    await phone.shutdown();
    expect(phone.adbPort).to.equal(undefined);
    expect(await phone.boot()).to.equal(port);
    const { stdout } = await runScript(
      phone.machine,
      'settings get global k; getprop persist.sys.locale; getprop debug.x; pm list packages -3; ls /data/local/tmp',
    );
    expect(stdout).to.equal('v\nde-DE\n\npackage:com.example.fixture\nx.apk\n');
    const installed = phone.machine.packages.get('com.example.fixture');
    expect(installed).to.include({ label: 'Pröbe 例', versionCode: 42 });
    expect(installed?.icon?.subarray(1, 4).toString()).to.equal('PNG');
  });

  it('is powered off by its shell where its owner lets it', async () => {
    const { phone } = world;
    expect((await runScript(phone.machine, 'reboot -p 2>&1')).stdout).to.contain('not permitted');
    const owned = await startPhone({ rebootable: true });
    await owned.phone.shutdown();
    const off = new Promise<void>((resolve) => (owned.phone.onTurnOff = resolve));
    await owned.phone.boot();
    void runScript(owned.phone.machine, 'reboot -p').catch(() => undefined);
    await off;
    expect(owned.phone.isRunning).to.equal(false);
    await owned.stop();
  });

  it('removes files that a killed process left half received', async () => {
    const { phone } = world;
    const half = await phone.machine.shellFiles.receive('/sdcard/half', 0o644);
    phone.crash();
    await writeFile(path.join(directory, 'files/incoming/stray'), 'x').catch(() => undefined);
    await phone.boot();
    expect((await runScript(phone.machine, 'ls /sdcard/half 2>&1; df /data >/dev/null')).stdout).to.contain(
      'No such file',
    );
    expect(await readdir(path.join(directory, 'files'))).to.not.include('incoming');
    await half.abort();
  });

  it('fails to boot at a stage set by a fault, and is off then', async () => {
    const { phone } = world;
    await phone.shutdown();
    for (const stage of ['kernel', 'system', 'apps'] as const) {
      phone.faults.bootFailure = stage;
      const failure: unknown = await phone.boot().catch((error: unknown) => error);
      expect(failure).to.be.instanceOf(PhoneFailure);
      expect((failure as Error).message).to.contain(stage);
      expect(phone.isRunning).to.equal(false);
    }
    phone.faults.clear();
    expect(await phone.boot()).to.be.a('number');
  });

  it('cuts its connections when ADB goes down or power is lost, and ends running commands', async () => {
    const { phone } = world;
    for (const cut of [() => (phone.faults.adbDown = true), () => phone.crash()]) {
      phone.faults.clear();
      const socket = net.connect(world.port, '127.0.0.1');
      socket.on('error', () => undefined); // cut off, as wanted
      await once(socket, 'connect');
      const sleeping = runScript(phone.machine, 'sleep 1000', { signal: phone.machine.power });
      cut();
      await once(socket, 'close');
      if (phone.isRunning) continue;
      expect((await sleeping).status).to.not.equal(0);
    }
  });

  it('refuses connections while ADB is down', async () => {
    world.phone.faults.adbDown = true;
    const socket = net.connect(world.port, '127.0.0.1');
    socket.on('error', () => undefined); // a reset, as wanted
    await new Promise((resolve) => socket.once('close', resolve));
    expect(world.phone.isRunning).to.equal(true);
  });

  it('boots once when it is started twice, and not at all when it is shut down meanwhile', async () => {
    const { phone } = world;
    await phone.shutdown();
    const [first, second] = await Promise.all([phone.boot(), phone.boot()]);
    expect(first).to.equal(second);
    await phone.shutdown();
    const overtaken = phone.boot().catch((error: unknown) => error);
    await phone.shutdown();
    const again = phone.boot();
    expect(await overtaken).to.be.instanceOf(PhoneFailure);
    expect(await again).to.equal(first);
    expect(phone.machine.properties.get('sys.boot_completed')).to.equal('1');
  });

  it('accepts connections and never responds while it hangs', async () => {
    const { phone } = world;
    phone.faults.hang = true;
    const socket = net.connect(world.port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    const header = (command: number, arg0: number, arg1: number, payload: string): Buffer =>
      encodePacket({ command, arg0, arg1, payload: Buffer.from(payload) }, { checksum: false });
    socket.write(header(Command.CNXN, 0x01000001, 1_048_576, 'host::'));
    socket.write(header(Command.OPEN, 1, 0, 'exec:echo hi\0'));
    while (Buffer.concat(received).indexOf('OKAY') < 0) await once(socket, 'data');
    phone.faults.clear();
    socket.write(header(Command.OPEN, 2, 0, 'exec:echo back\0'));
    while (Buffer.concat(received).indexOf('back') < 0) await once(socket, 'data');
    expect(Buffer.concat(received).indexOf('hi\n')).to.equal(-1);
    socket.destroy();
  });

  it('gives its port up when it is off', async () => {
    await world.phone.shutdown();
    const socket = net.connect(world.port, '127.0.0.1');
    const [error] = (await once(socket, 'error')) as [Error & { code?: string }];
    expect(error.code).to.equal('ECONNREFUSED');
  });

  it('changes its way out while it runs', async () => {
    world.phone.setExit({ type: 'mobile', country: 'jp', timezone: 'Asia/Tokyo' });
    expect((await runScript(world.phone.machine, 'getprop persist.sys.timezone')).stdout).to.equal('Asia/Tokyo\n');
    expect(world.phone.machine.network.exit.country).to.equal('jp');
  });
});
