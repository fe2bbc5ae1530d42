import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, connect, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import Docker from 'dockerode';
import { expect } from 'chai';
import pLimit from 'p-limit';
import { systemClock } from '../../kit/clock.js';
import { silentLog } from '../../kit/log.js';
import { type ContainerEngine as TestEngine, startEngine } from '../../testing/container-engine.js';
import { phoneImage } from '../../testing/container-engine/phone-image.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import type { PhoneDriver, PhoneEndpoint, PhoneSpec } from '../driver.js';
import { PhoneLink } from '../link/phone-link.js';
import type { ContainerModel, MadeModel } from '../made/made-model.js';
import { PROXY_PORT } from './firewall.js';
import { openContainerDriver } from './open.js';

/** Beside other engines of this machine; no packet of a test leaves it. */
const POOL = '10.214.0.0/20';

describe('phones in containers of a real engine', function () {
  let folder: string;
  let engine: TestEngine;
  let model: ContainerModel;
  let driver: PhoneDriver;
  let forwarder: Server;
  let phones = 0;
  /** First bytes of each connection that reached the forwarder. */
  const forwarded: string[] = [];

  const open = (directory = join(folder, 'data'), owner = 'test'): Promise<PhoneDriver> =>
    openContainerDriver({
      ...{ socketPath: engine.socketPath, pool: POOL, owner, directory, boots: pLimit(2) },
      models: { value: [model, otherModel()] as MadeModel[], close: () => undefined },
      connectSocket: (host, port) => connect({ host, port }),
      ...{ clock: systemClock, log: silentLog },
    });
  const otherModel = (): ContainerModel => ({ ...model, model: 'no-image', image: 'localhost:1/none:latest' });
  const exit = () => ({
    type: 'direct',
    country: 'us',
    timezone: 'America/New_York',
    forwarder: join(folder, 'forwarder.sock'),
  });
  const spec = (name = 'phone', of = 'stand-in'): PhoneSpec => ({
    phoneId: `ph_${phones++}`,
    name,
    model: of,
    android: '14',
    exit: exit(),
  });
  const create = async (): Promise<PhoneSpec> => {
    const made = spec();
    await driver.create(made);
    return made;
  };
  const shell = async (at: PhoneEndpoint, command: string): Promise<string> => {
    const link = await PhoneLink.open({
      ...at,
      clock: systemClock,
      connectSocket: (host, port) => connect({ host, port }),
      timeoutMs: 20_000,
    });
    try {
      const { stdout, stderr } = await link.shell(command, { timeoutMs: 60_000, maxBytes: 65_536, doing: 'test' });
      return stdout.toString() + stderr.toString();
    } finally {
      link.close();
    }
  };
  const container = (phoneId: string): string => `cloudphone-${phoneId}`;
  const failureOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'no failure',
      (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    );
  /** Collects the phones of changes from now on. */
  const watch = (): { changes: string[]; end: () => Promise<void> } => {
    const watching = new AbortController();
    const changes: string[] = [];
    const watched = (async () => {
      for await (const change of driver.watch(watching.signal)) changes.push(change.phoneId);
    })();
    const end = (): Promise<void> => (watching.abort(), watched);
    return { changes, end };
  };
  const dataOf = (phoneId: string): string => join(folder, 'data', 'phones', phoneId, 'data');

  before(async function () {
    folder = await mkdtemp(join(tmpdir(), 'containers-'));
    const started = await startEngine(folder);
    if (typeof started === 'string') skip(this, started);
    engine = started;
    const image = await engine.load(await phoneImage());
    model = {
      ...{ model: 'stand-in', name: 'Stand-in', android: ['14'], driver: 'container', image },
      screen: { width: 720, height: 1280, density: 320 },
      ...{ memoryMb: 512, cpus: 2, diskMb: 1024, bootLimitS: 60, pids: 500 },
      ...{ adbPort: 5555, args: ['ro.product.model=Stand-in'], privileged: true, capabilities: [], binder: false },
    };
    forwarder = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (data) => {
        forwarded.push(data.toString('latin1'));
        socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok');
      });
    }).listen(join(folder, 'forwarder.sock'));
    driver = await open();
  });
  after(async () => {
    await (driver as PhoneDriver | undefined)?.close();
    await (engine as TestEngine | undefined)?.close();
    (forwarder as Server | undefined)?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are made, started, stopped and deleted, each step as often as one likes', async () => {
    const { phoneId } = await create();
    await driver.create({ ...spec(), phoneId });
    expect(await driver.inspect(phoneId)).to.deep.equal({ state: 'stopped' });
    const first = await driver.start(phoneId);
    expect(await driver.start(phoneId)).to.deep.equal(first);
    expect(await driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: first });
    const facts = await shell(
      first,
      'getprop ro.product.model; wm size; settings get global http_proxy; getprop persist.sys.timezone',
    );
    expect(facts).to.match(/^Stand-in\n.*720x1280\n10\.214\.\d+\.\d+:18128\nAmerica\/New_York\n$/);
    const second = await driver.start(phoneId, { endedIdentity: first.identity });
    expect(second.identity).not.to.equal(first.identity);
    for (const how of ['save', 'kill'] as const) await driver.stop(phoneId, how);
    expect(await driver.inspect(phoneId)).to.deep.equal({ state: 'stopped' });
    for (let times = 0; times < 2; times++) await driver.delete(phoneId);
    expect(await driver.inspect(phoneId)).to.deep.equal({ state: 'absent' });
    expect(existsSync(dataOf(phoneId))).to.equal(false);
    expect(await engine.cli('ps', '--all', '--quiet')).to.equal('');
    expect(await engine.cli('network', 'ls', '--format', '{{.Name}}')).not.to.contain(phoneId);
  });

  it('keep their data over a stop and a cut of power, and their number', async () => {
    const { phoneId } = await create();
    const first = await driver.start(phoneId);
    await shell(first, 'echo kept > /sdcard/kept; sync');
    for (const how of ['save', 'kill'] as const) {
      await driver.stop(phoneId, how);
      const next = await driver.start(phoneId);
      expect(await shell(next, 'cat /sdcard/kept'), how).to.equal('kept\n');
      expect(next.identity.split('/')[0]).to.equal(first.identity.split('/')[0]);
    }
    expect(await driver.usedBytes?.(phoneId)).to.be.greaterThan(0);
    await driver.delete(phoneId);
  });

  it('that are killed are reported at once, with the reason, and start again', async () => {
    const { phoneId } = await create();
    const before = await driver.start(phoneId);
    const { changes, end } = watch();
    await engine.cli('kill', '--signal', 'KILL', container(phoneId));
    await until(() => changes.includes(phoneId));
    expect(await driver.inspect(phoneId)).to.deep.equal({
      state: 'stopped',
      reason: 'its Android ended with status 137',
    });
    await end();
    expect((await driver.start(phoneId)).identity).not.to.equal(before.identity);
    await driver.delete(phoneId);
  });

  it('go on while the service is away, and are adopted with their way out', async () => {
    const { phoneId } = await create();
    const before = await driver.start(phoneId);
    await driver.close();
    forwarded.length = 0;
    const page = `curl -s -m 5 -x "$(settings get global http_proxy)" http://example.com/`;
    expect(await shell(before, page), 'while the service is away').not.to.contain('ok');
    driver = await open();
    expect(await driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: before });
    expect(await shell(before, page)).to.contain('ok');
    expect(forwarded.join()).to.contain('GET http://example.com/');
    await driver.delete(phoneId);
  });

  it('outlive the end of the engine, or are found off after it, and are followed again', async () => {
    const { phoneId } = await create();
    const before = await driver.start(phoneId);
    await engine.kill9();
    expect(await failureOf(driver.inspect(phoneId))).not.to.equal('no failure');
    expect((await driver.capacity()).problems?.[0]).to.contain('the container engine does not respond');
    await engine.restart();
    await driver.capacity();
    const found = await driver.inspect(phoneId);
    if (engine.kind === 'podman') expect(found).to.deep.equal({ state: 'running', endpoint: before });
    else expect(found.state).to.be.oneOf(['running', 'stopped']);
    await driver.start(phoneId);
    const { changes, end } = watch();
    // The stream of events is opened again within seconds; what happened before is a change, too.
    await until(async () => {
      await engine.cli('kill', '--signal', 'KILL', container(phoneId)).catch(() => undefined);
      return (await driver.inspect(phoneId)).state === 'stopped';
    });
    await until(() => changes.includes(phoneId));
    await end();
    await driver.delete(phoneId);
  });

  it('of which a start was given up have their exit, and as clones an identity of their own, after the next one', async () => {
    const { snapshots } = driver;
    if (snapshots === undefined) throw new Error('no snapshots');
    const { phoneId } = await create();
    const original = await driver.start(phoneId);
    const androidId = 'settings get secure android_id';
    const idOfOriginal = await shell(original, androidId);
    await driver.stop(phoneId, 'save');
    await snapshots.take(phoneId, 'snap_given_up');
    const clone = spec('clone');
    await snapshots.clone('snap_given_up', clone);
    const given = new AbortController();
    const starting = driver.start(clone.phoneId, {
      signal: given.signal,
      onProgress: () => given.abort(new Error('given up')),
    });
    expect(await failureOf(starting)).to.equal('Error: given up');
    // The data of the clone has all settings of the original, also its exit.
    expect(await driver.inspect(clone.phoneId)).to.deep.equal({ state: 'starting' });
    const at = await driver.start(clone.phoneId);
    expect(await shell(at, 'settings get global http_proxy')).to.match(/^10\.214\.\d+\.\d+:18128\n$/);
    expect(await shell(at, androidId)).not.to.equal(idOfOriginal);
    await snapshots.delete('snap_given_up');
    for (const id of [phoneId, clone.phoneId]) await driver.delete(id);
  });

  it('have their way out after each start, also where they went off by themselves', async () => {
    const { phoneId } = await create();
    for (let times = 0; times < 3; times++) {
      const at = await driver.start(phoneId);
      const page = `curl -s -m 5 -x "$(settings get global http_proxy)" http://example.com/`;
      expect(await shell(at, page), at.host).to.contain('ok');
      await engine.cli('kill', '--signal', 'KILL', container(phoneId));
      await until(async () => (await driver.inspect(phoneId)).state === 'stopped');
    }
    await driver.delete(phoneId);
  });

  it('write lines without an end to their console, of which a bounded part is read', async () => {
    const { phoneId } = await create();
    await driver.start(phoneId);
    await engine.cli('exec', container(phoneId), 'busybox', 'sh', '-c', 'busybox dd if=/dev/zero bs=1M count=64 | busybox tr "\\000" x > /proc/1/fd/1').catch(String); // prettier-ignore
    const lines = await new Docker({ socketPath: engine.socketPath }).getContainer(container(phoneId)).logs({ tail: 10, stdout: true, stderr: true, follow: false }); // prettier-ignore
    expect(lines.length).to.be.lessThan(4 * 1024 ** 2);
    await driver.delete(phoneId);
  });

  it('reach their forwarder alone, whatever routes they give themselves', async () => {
    const { phoneId } = await create();
    const at = await driver.start(phoneId);
    const gateway = (await shell(at, 'settings get global http_proxy')).split(':')[0] ?? '';
    const own = Object.values(networkInterfaces()).flat().find((one) => one?.family === 'IPv4' && !one.internal && one.address !== gateway); // prettier-ignore
    let reached = 0;
    const open = createServer((socket) => {
      reached++;
      socket.destroy();
    }).listen(0, '0.0.0.0');
    try {
      await until(() => open.address() !== null);
      const { port } = open.address() as { port: number };
      // As root of its container, which a customer of a privileged one may become.
      const inside = (...words: string[]): Promise<string> =>
        engine.cli('exec', container(phoneId), ...words).catch(String);
      const attempt = (host: string, to: number): Promise<string> =>
        inside('busybox', 'sh', '-c', `echo x | busybox nc -w 2 ${host} ${to}`);
      await attempt(gateway, port);
      await inside('busybox', 'ip', 'route', 'add', 'default', 'via', gateway);
      expect(await inside('busybox', 'ip', 'route')).to.contain('default');
      for (const host of [gateway, own?.address ?? gateway, '127.0.0.1']) await attempt(host, port);
      expect(reached).to.equal(0);
      forwarded.length = 0;
      await attempt(gateway, PROXY_PORT);
      await until(() => forwarded.length > 0, 10_000);
    } finally {
      open.close();
    }
    await driver.delete(phoneId);
  });

  it('do not reach each other, and not the way out of another', async () => {
    const [one, other] = [await create(), await create()];
    const [from, to] = [await driver.start(one.phoneId), await driver.start(other.phoneId)];
    const gatewayOfOther = (await shell(to, 'settings get global http_proxy')).split(':')[0] ?? '';
    await engine.cli('exec', container(one.phoneId), 'busybox', 'ip', 'route', 'add', 'default', 'via', (await shell(from, 'settings get global http_proxy')).split(':')[0] ?? ''); // prettier-ignore
    forwarded.length = 0;
    for (const [host, port] of [
      [to.host, to.port],
      [gatewayOfOther, PROXY_PORT],
    ] as const) {
      const words = ['busybox', 'sh', '-c', `echo x | busybox nc -w 2 ${host} ${port}`];
      const printed = await engine.cli('exec', container(one.phoneId), ...words).catch(String);
      expect(printed).not.to.contain('ok').and.not.to.contain('CNXN');
    }
    expect(forwarded).to.deep.equal([]);
    for (const { phoneId } of [one, other]) await driver.delete(phoneId);
  });

  it('take another exit while they run, and while they are off', async () => {
    const { phoneId } = await create();
    await driver.setExit?.(phoneId, { ...exit(), timezone: 'Asia/Tokyo' });
    const at = await driver.start(phoneId);
    expect(await shell(at, 'getprop persist.sys.timezone')).to.equal('Asia/Tokyo\n');
    await driver.setExit?.(phoneId, { ...exit(), timezone: 'Europe/Berlin' });
    expect(await shell(at, 'getprop persist.sys.timezone')).to.equal('Europe/Berlin\n');
    await driver.delete(phoneId);
  });

  it('are saved while they are off, restored, and cloned with an identity of their own', async () => {
    const { snapshots } = driver;
    if (snapshots === undefined) throw new Error('no snapshots');
    const { phoneId } = await create();
    const first = await driver.start(phoneId);
    await shell(first, 'echo before > /sdcard/mark; sync');
    expect(await failureOf(snapshots.take(phoneId, 'snap_1'))).to.contain('PhoneFailure: The phone is on');
    await driver.stop(phoneId, 'save');
    const taken = await snapshots.take(phoneId, 'snap_1');
    expect(await snapshots.take(phoneId, 'snap_1')).to.deep.equal(taken);
    await snapshots.check('snap_1');
    await shell(await driver.start(phoneId), 'echo after > /sdcard/mark; sync');
    await driver.stop(phoneId, 'save');
    await snapshots.restore(phoneId, 'snap_1');
    const clone = spec('clone');
    await snapshots.clone('snap_1', clone);
    const ids: string[] = [];
    for (const id of [phoneId, clone.phoneId]) {
      const at = await driver.start(id);
      expect(await shell(at, 'cat /sdcard/mark')).to.equal('before\n');
      ids.push(at.identity.split('/')[0] ?? '', (await shell(at, 'settings get secure android_id')).trim());
      ids.push(await readFile(join(dataOf(id), 'system/users/0/settings_ssaid.xml'), 'utf8'));
    }
    expect(new Set(ids).size).to.equal(6);
    const [file = ''] = (await readdir(join(folder, 'data/snapshots/snap_1/data'), { recursive: true })).filter((name) => name.endsWith('settings_ssaid.xml')); // prettier-ignore
    await writeFile(join(folder, 'data/snapshots/snap_1/data', file), 'changed');
    expect(await failureOf(snapshots.check('snap_1'))).to.contain(`damaged: the file ${file}`);
    await writeFile(join(folder, 'data/snapshots/snap_1/image.txt'), 'sha256:other');
    expect(await failureOf(snapshots.clone('snap_1', spec()))).to.contain(
      'PhoneFailure: The snapshot was taken of another image',
    );
    await snapshots.delete('snap_1');
    expect(await snapshots.list()).to.deep.equal([]);
    for (const id of [phoneId, clone.phoneId]) await driver.delete(id);
  });

  for (const [fault, text] of [
    ['exits', /PhoneFailure: The phone went off .*ended with status 1\).*Its last lines: .*boot/],
    ['never-boots', /PhoneFailure: The phone did not finish its boot within 5 s: its boot is not complete/],
    ['silent', /PhoneFailure: The phone did not finish its boot within 5 s: .*(ADB|respond|in time|within)/],
  ] as const) {
    it(`that fail at their boot (${fault}) are off afterwards, and the failure has the reason`, async () => {
      const shared = model;
      model = { ...shared, bootLimitS: fault === 'exits' ? 60 : 5 };
      await driver.close();
      driver = await open();
      const { phoneId } = await create();
      await mkdir(join(dataOf(phoneId), 'local/tmp'), { recursive: true });
      await writeFile(join(dataOf(phoneId), 'local/tmp/simulated-boot-fault'), fault);
      expect(await failureOf(driver.start(phoneId))).to.match(text);
      expect(await driver.inspect(phoneId)).to.deep.equal({ state: 'stopped' });
      expect(await engine.cli('ps', '--all', '--quiet')).to.equal('');
      await rm(join(dataOf(phoneId), 'local/tmp/simulated-boot-fault'));
      await driver.delete(phoneId);
      model = shared;
    });
  }

  it('of which some are gone or foreign leave everything else alone', async () => {
    const name = container('ph_foreign');
    await engine.cli('run', '--detach', '--name', name, model.image);
    const foreign = { ...spec(), phoneId: 'ph_foreign' };
    await driver.create(foreign);
    expect(await failureOf(driver.start('ph_foreign'))).to.contain('not of this service');
    expect(await failureOf(driver.delete('ph_foreign'))).to.contain('not of this service');
    const { phoneId } = await create();
    await driver.start(phoneId);
    const another = await open(join(folder, 'another'), 'another');
    expect([...(await another.list()).keys()]).to.deep.equal([]);
    await another.close();
    // The folder of a phone was removed by hand: nothing is left of it at the next start.
    await driver.close();
    await rm(join(folder, 'data', 'phones', phoneId), { recursive: true });
    driver = await open();
    expect(await engine.cli('ps', '--format', '{{.Names}}')).to.equal(`${name}\n`);
    await engine.cli('rm', '--force', name);
    await driver.delete('ph_foreign');
  });

  it('whose image is not to be had, or whose model is gone, are not made', async () => {
    expect(await failureOf(driver.create(spec('phone', 'no-image')))).to.match(
      /^PhoneFailure: The image of this model cannot be fetched/,
    );
    expect(await failureOf(driver.create(spec('phone', 'withdrawn')))).to.contain(
      'PhoneFailure: The operator has withdrawn the model',
    );
    expect([...(await driver.list()).keys()]).to.deep.equal([]);
  });

  it('that need what the kernel lacks are not offered, with the reason for the operator', async function () {
    if (existsSync('/dev/binder') || (await readFile('/proc/filesystems', 'utf8')).includes('\tbinder'))
      skip(this, 'this kernel has binder');
    const shared = model;
    model = { ...shared, binder: true };
    const second = await open(join(folder, 'second'), 'second');
    expect((await second.capacity()).problems?.slice(0, 1)).to.deep.equal([
      'model "stand-in" is not offered: the kernel has no binder: load it with "modprobe binder_linux devices=binder,hwbinder,vndbinder"',
    ]);
    expect(second.capabilities().models.map((one) => one.model)).to.deep.equal([]);
    await second.close();
    model = shared;
  });

  it('have the limits of their model', async () => {
    const { phoneId } = await create();
    await driver.start(phoneId);
    const { HostConfig: limits } = await new Docker({ socketPath: engine.socketPath })
      .getContainer(container(phoneId))
      .inspect();
    expect(limits).to.include({ Memory: 512 * 1024 ** 2, NanoCpus: 2e9, PidsLimit: 500 });
    await driver.delete(phoneId);
  });

  it('boot twenty at a time, two at once, and all are found after a crash of the service', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => create()));
    const endpoints = await Promise.all(made.map(({ phoneId }) => driver.start(phoneId)));
    expect(new Set(endpoints.map(({ identity }) => identity)).size).to.equal(20);
    // Nothing of the first driver is closed, as after kill -9: it holds no state but its listeners.
    await driver.close();
    const beganMs = performance.now();
    driver = await open();
    const found = await driver.list();
    console.log(`      20 phones adopted in ${Math.round(performance.now() - beganMs)} ms`);
    expect([...found.values()].filter(({ state }) => state === 'running').length).to.equal(20);
    await Promise.all(made.map(({ phoneId }) => driver.delete(phoneId)));
    expect(await engine.cli('ps', '--all', '--quiet')).to.equal('');
  });
});
