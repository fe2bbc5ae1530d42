import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Docker from 'dockerode';
import { expect } from 'chai';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import type { ContainerModel } from '../image-based/model.js';
import { failureOf } from '../image-based/testing/image-based-world.js';
import { containerOf, ContainerWorld } from './testing/container-world.js';

describe('phones in containers of a real engine', function () {
  let world: ContainerWorld;

  before(async function () {
    const started = await ContainerWorld.start();
    if (typeof started === 'string') skip(this, started);
    world = started;
  });
  after(() => (world as ContainerWorld | undefined)?.close());

  it('are made, started, stopped and deleted, each step as often as one likes', async () => {
    const { phoneId } = await world.create();
    await world.driver.create({ ...world.spec(), phoneId });
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'stopped' });
    const first = await world.driver.start(phoneId);
    expect(await world.driver.start(phoneId)).to.deep.equal(first);
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: first });
    const facts = await world.shell(
      first,
      'getprop ro.product.model; wm size; settings get global http_proxy; getprop persist.sys.timezone',
    );
    expect(facts).to.match(/^Stand-in\n.*720x1280\n10\.\d+\.\d+\.\d+:18128\nAmerica\/New_York\n$/);
    const second = await world.driver.start(phoneId, { endedIdentity: first.identity });
    expect(second.identity).not.to.equal(first.identity);
    for (const how of ['save', 'kill'] as const) await world.driver.stop(phoneId, how);
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'stopped' });
    for (let times = 0; times < 2; times++) await world.driver.delete(phoneId);
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'absent' });
    expect(existsSync(world.dataOf(phoneId))).to.equal(false);
    expect(await world.engine.cli('ps', '--all', '--quiet')).to.equal('');
    expect(await world.engine.cli('network', 'ls', '--format', '{{.Name}}')).not.to.contain(phoneId);
  });

  it('keep their data over a stop and a cut of power, and their number', async () => {
    const { phoneId } = await world.create();
    const first = await world.driver.start(phoneId);
    await world.shell(first, 'echo kept > /sdcard/kept; sync');
    for (const how of ['save', 'kill'] as const) {
      await world.driver.stop(phoneId, how);
      const next = await world.driver.start(phoneId);
      expect(await world.shell(next, 'cat /sdcard/kept'), how).to.equal('kept\n');
      expect(next.identity.split('/')[0]).to.equal(first.identity.split('/')[0]);
    }
    expect(await world.driver.usedBytes?.(phoneId)).to.be.greaterThan(0);
    await world.driver.delete(phoneId);
  });

  it('are paused while their files are copied, and go on after a crash in the middle too', async () => {
    const { phoneId } = await world.create();
    const at = await world.driver.start(phoneId);
    await world.shell(at, 'echo kept > /sdcard/kept; sync');
    const isPaused = (): Promise<string> =>
      world.engine.cli('inspect', '--format', '{{.State.Paused}}', containerOf(phoneId));
    const seen: string[] = [];
    await world.driver.keepStill?.(phoneId, async ([files]) => {
      seen.push((await isPaused()).trim(), String(files?.place));
      expect(await readdir(String(files?.path))).to.include.members(['phone.json', 'data']);
    });
    expect([...seen, (await isPaused()).trim()]).to.deep.equal(['true', '', 'false']);
    expect(await world.shell(at, 'cat /sdcard/kept')).to.equal('kept\n');
    await world.engine.cli('pause', containerOf(phoneId));
    await world.reopen();
    expect((await isPaused()).trim()).to.equal('false');
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: at });
    // A call to pause it was done after its time was over.
    await world.engine.cli('pause', containerOf(phoneId));
    await world.driver.inspect(phoneId);
    await until(async () => (await isPaused()).trim() === 'false');
    await world.engine.cli('pause', containerOf(phoneId));
    await world.driver.stop(phoneId, 'save');
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'stopped' });
    await world.driver.delete(phoneId);
  });

  it('that are killed are reported at once, with the reason, and start again', async () => {
    const { phoneId } = await world.create();
    const before = await world.driver.start(phoneId);
    const { changes, end } = world.watch();
    await world.engine.cli('kill', '--signal', 'KILL', containerOf(phoneId));
    await until(() => changes.includes(phoneId));
    expect(await world.driver.inspect(phoneId)).to.deep.equal({
      state: 'stopped',
      reason: 'its Android ended with status 137',
    });
    await end();
    expect((await world.driver.start(phoneId)).identity).not.to.equal(before.identity);
    await world.driver.delete(phoneId);
  });

  it('go on while the service is away, and are adopted with their way out', async () => {
    const { phoneId } = await world.create();
    const before = await world.driver.start(phoneId);
    await world.driver.close();
    world.forwarded.length = 0;
    const page = `curl -s -m 5 -x "$(settings get global http_proxy)" http://example.com/`;
    expect(await world.shell(before, page), 'while the service is away').not.to.contain('ok');
    world.driver = await world.open();
    expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'running', endpoint: before });
    expect(await world.shell(before, page)).to.contain('ok');
    expect(world.forwarded.join()).to.contain('GET http://example.com/');
    await world.driver.delete(phoneId);
  });

  it('outlive the end of the engine, or are found off after it, and are followed again', async () => {
    const { phoneId } = await world.create();
    const before = await world.driver.start(phoneId);
    await world.engine.kill9();
    expect(await failureOf(world.driver.inspect(phoneId))).not.to.equal('no failure');
    expect((await world.driver.capacity()).problems?.[0]).to.contain('the container engine does not respond');
    await world.engine.restart();
    await world.driver.capacity();
    const found = await world.driver.inspect(phoneId);
    if (world.engine.kind === 'podman') expect(found).to.deep.equal({ state: 'running', endpoint: before });
    else expect(found.state).to.be.oneOf(['running', 'stopped']);
    await world.driver.start(phoneId);
    const { changes, end } = world.watch();
    // The stream of events is opened again within seconds; what happened before is a change, too.
    await until(async () => {
      await world.engine.cli('kill', '--signal', 'KILL', containerOf(phoneId)).catch(() => undefined);
      return (await world.driver.inspect(phoneId)).state === 'stopped';
    });
    await until(() => changes.includes(phoneId));
    await end();
    await world.driver.delete(phoneId);
  });

  it('go on while the service starts without the engine, and are adopted once it is there', async () => {
    const { phoneId } = await world.create();
    const before = await world.driver.start(phoneId);
    await world.driver.close();
    await world.engine.kill9();
    world.driver = await world.open();
    try {
      const [problem] = (await world.driver.capacity()).problems ?? [];
      expect(problem).to.contain(world.engine.socketPath).and.to.contain('DOCKER_HOST');
      expect(world.driver.capabilities()).to.deep.include({ models: [], withheld: ['stand-in', 'no-image'] });
      // Nobody may take a phone whose state is not known for one that is off or gone.
      expect([...(await world.driver.list()).values()]).to.deep.equal([{ state: 'unknown' }]);
      expect(await failureOf(world.driver.start(phoneId))).to.contain('cannot run this model now');
      expect(await failureOf(world.driver.delete(phoneId))).to.contain('cannot run this model now');
    } finally {
      await world.engine.restart();
    }
    const { changes, end } = world.watch();
    await until(() => changes.includes(phoneId));
    await end();
    await until(async () => (await world.driver.capacity()).problems?.length === 0);
    const found = await world.driver.inspect(phoneId);
    if (world.engine.kind === 'podman') {
      expect(found).to.deep.equal({ state: 'running', endpoint: before });
      expect(await world.page(before)).to.contain('ok');
    }
    await world.driver.delete(phoneId);
  });

  it('of which a start was given up have their exit, and as clones an identity of their own, after the next one', async () => {
    const { snapshots } = world.driver;
    if (snapshots === undefined) throw new Error('no snapshots');
    const { phoneId } = await world.create();
    const original = await world.driver.start(phoneId);
    const androidId = 'settings get secure android_id';
    const idOfOriginal = await world.shell(original, androidId);
    await world.driver.stop(phoneId, 'save');
    await snapshots.take(phoneId, 'snap_given_up');
    const clone = world.spec('clone');
    await snapshots.clone('snap_given_up', clone);
    const given = new AbortController();
    const starting = world.driver.start(clone.phoneId, {
      signal: given.signal,
      onProgress: () => given.abort(new Error('given up')),
    });
    expect(await failureOf(starting)).to.equal('Error: given up');
    // The data of the clone has all settings of the original, also its exit.
    expect(await world.driver.inspect(clone.phoneId)).to.deep.equal({ state: 'starting' });
    const at = await world.driver.start(clone.phoneId);
    expect(await world.shell(at, 'settings get global http_proxy')).to.match(/^10\.\d+\.\d+\.\d+:18128\n$/);
    expect(await world.shell(at, androidId)).not.to.equal(idOfOriginal);
    await snapshots.delete('snap_given_up');
    for (const id of [phoneId, clone.phoneId]) await world.driver.delete(id);
  });

  it('have their way out after each start, also where they went off by themselves', async () => {
    const { phoneId } = await world.create();
    for (let times = 0; times < 3; times++) {
      const at = await world.driver.start(phoneId);
      const page = `curl -s -m 5 -x "$(settings get global http_proxy)" http://example.com/`;
      expect(await world.shell(at, page), at.host).to.contain('ok');
      await world.engine.cli('kill', '--signal', 'KILL', containerOf(phoneId));
      await until(async () => (await world.driver.inspect(phoneId)).state === 'stopped');
    }
    await world.driver.delete(phoneId);
  });

  it('write lines without an end to their console, of which a bounded part is read', async () => {
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    await world.engine.cli('exec', containerOf(phoneId), 'busybox', 'sh', '-c', 'busybox dd if=/dev/zero bs=1M count=64 | busybox tr "\\000" x > /proc/1/fd/1').catch(String); // prettier-ignore
    const lines = await new Docker({ socketPath: world.engine.socketPath }).getContainer(containerOf(phoneId)).logs({ tail: 10, stdout: true, stderr: true, follow: false }); // prettier-ignore
    expect(lines.length).to.be.lessThan(4 * 1024 ** 2);
    await world.driver.delete(phoneId);
  });

  it('take another exit while they run, and while they are off', async () => {
    const { phoneId } = await world.create();
    await world.driver.setExit?.(phoneId, { ...world.exit(), timezone: 'Asia/Tokyo' });
    const at = await world.driver.start(phoneId);
    expect(await world.shell(at, 'getprop persist.sys.timezone')).to.equal('Asia/Tokyo\n');
    await world.driver.setExit?.(phoneId, { ...world.exit(), timezone: 'Europe/Berlin' });
    expect(await world.shell(at, 'getprop persist.sys.timezone')).to.equal('Europe/Berlin\n');
    await world.driver.delete(phoneId);
  });

  it('are saved while they are off, restored, and cloned with an identity of their own', async () => {
    const { snapshots } = world.driver;
    if (snapshots === undefined) throw new Error('no snapshots');
    const { phoneId } = await world.create();
    const first = await world.driver.start(phoneId);
    await world.shell(first, 'echo before > /sdcard/mark; sync');
    expect(await failureOf(snapshots.take(phoneId, 'snap_1'))).to.contain('PhoneFailure: The phone is on');
    await world.driver.stop(phoneId, 'save');
    const taken = await snapshots.take(phoneId, 'snap_1');
    expect(await snapshots.take(phoneId, 'snap_1')).to.deep.equal(taken);
    await snapshots.check('snap_1');
    await world.shell(await world.driver.start(phoneId), 'echo after > /sdcard/mark; sync');
    await world.driver.stop(phoneId, 'save');
    await snapshots.restore(phoneId, 'snap_1');
    const clone = world.spec('clone');
    await snapshots.clone('snap_1', clone);
    const ids: string[] = [];
    for (const id of [phoneId, clone.phoneId]) {
      const at = await world.driver.start(id);
      expect(await world.shell(at, 'cat /sdcard/mark')).to.equal('before\n');
      ids.push(at.identity.split('/')[0] ?? '', (await world.shell(at, 'settings get secure android_id')).trim());
      ids.push(await readFile(join(world.dataOf(id), 'system/users/0/settings_ssaid.xml'), 'utf8'));
    }
    expect(new Set(ids).size).to.equal(6);
    const [file = ''] = (await readdir(join(world.folder, 'data/snapshots/snap_1/data'), { recursive: true })).filter((name) => name.endsWith('settings_ssaid.xml')); // prettier-ignore
    await writeFile(join(world.folder, 'data/snapshots/snap_1/data', file), 'changed');
    expect(await failureOf(snapshots.check('snap_1'))).to.contain(`damaged: the file ${file}`);
    await writeFile(join(world.folder, 'data/snapshots/snap_1/image.txt'), 'sha256:other');
    expect(await failureOf(snapshots.clone('snap_1', world.spec()))).to.contain(
      'PhoneFailure: The snapshot was taken of another image',
    );
    await snapshots.delete('snap_1');
    expect(await snapshots.list()).to.deep.equal([]);
    for (const id of [phoneId, clone.phoneId]) await world.driver.delete(id);
  });

  it('are made of a template, which outlives its snapshot and shares its files, and only of the same image', async () => {
    const { snapshots, moves } = world.driver;
    if (snapshots === undefined || moves === undefined) throw new Error('no snapshots');
    const { phoneId } = await world.create();
    await world.shell(await world.driver.start(phoneId), 'echo golden > /sdcard/mark; sync');
    await world.driver.stop(phoneId, 'save');
    const taken = await snapshots.take(phoneId, 'snap_of_template');
    for (let times = 0; times < 2; times++)
      expect(await snapshots.copy('snap_of_template', 'tpl_1')).to.deep.equal(taken);
    const linked = async (of: string): Promise<number> =>
      (await stat(join(world.folder, 'data/snapshots', of, 'manifest.json'))).ino;
    expect(await linked('tpl_1')).to.equal(await linked('snap_of_template'));
    expect([await snapshots.has('tpl_1'), await snapshots.has('tpl_2')]).to.deep.equal([true, false]);
    const { model } = world.spec();
    const assertImage = async (image: string | undefined): Promise<void> =>
      snapshots.assertImage?.(model, image ?? 'none', {});
    await assertImage(await snapshots.imageOf?.('tpl_1'));
    expect(await failureOf(assertImage('sha256:other'))).to.contain(
      'PhoneFailure: The snapshot was taken of another image',
    );
    await snapshots.delete('snap_of_template');
    await world.driver.delete(phoneId);
    // As another host gets it.
    const { checksum } = await moves.describe({ snapshotIds: ['tpl_1'] });
    expect(await moves.unpack('tpl_1', moves.pack({ snapshotIds: ['tpl_1'] }))).to.equal(checksum);
    await snapshots.delete('tpl_1');
    await moves.arrive('tpl_1');
    await snapshots.check('tpl_1');
    const [one, two] = [world.spec('one'), world.spec('two')];
    const ids: string[] = [];
    for (const spec of [one, two]) {
      await snapshots.clone('tpl_1', spec);
      const at = await world.driver.start(spec.phoneId);
      expect(await world.shell(at, 'cat /sdcard/mark')).to.equal('golden\n');
      ids.push((await world.shell(at, 'settings get secure android_id')).trim());
    }
    expect(new Set(ids).size).to.equal(2);
    await snapshots.check('tpl_1');
    await snapshots.delete('tpl_1');
    expect(await snapshots.list()).to.deep.equal([]);
    for (const { phoneId: id } of [one, two]) await world.driver.delete(id);
  });

  describe('with little time for their boot', () => {
    let shared: ContainerModel;
    before(() => (shared = world.model));
    after(async () => {
      world.model = shared;
      await world.reopen();
    });

    for (const [fault, text] of [
      ['exits', /PhoneFailure: The phone went off .*ended with status 1\).*Its last lines: .*boot/],
      ['never-boots', /PhoneFailure: The phone did not finish its boot within 15 s: its boot is not complete/],
      ['silent', /PhoneFailure: The phone did not finish its boot within 15 s: .*(ADB|respond|in time|within)/],
    ] as const) {
      it(`that fail at their boot (${fault}) are off afterwards, and the failure has the reason`, async () => {
        world.model = { ...shared, bootLimitS: fault === 'exits' ? 60 : 15 };
        await world.reopen();
        const { phoneId } = await world.create();
        await mkdir(join(world.dataOf(phoneId), 'local/tmp'), { recursive: true });
        await writeFile(join(world.dataOf(phoneId), 'local/tmp/simulated-boot-fault'), fault);
        expect(await failureOf(world.driver.start(phoneId))).to.match(text);
        expect(await world.driver.inspect(phoneId)).to.deep.equal({ state: 'stopped' });
        expect(await world.engine.cli('ps', '--all', '--quiet')).to.equal('');
        await rm(join(world.dataOf(phoneId), 'local/tmp/simulated-boot-fault'));
        await world.driver.delete(phoneId);
      });
    }
  });

  it('of which some are gone or foreign leave everything else alone', async () => {
    const name = containerOf('ph_foreign');
    await world.engine.cli('run', '--detach', '--name', name, world.model.image);
    const foreign = { ...world.spec(), phoneId: 'ph_foreign' };
    await world.driver.create(foreign);
    expect(await failureOf(world.driver.start('ph_foreign'))).to.contain('not of this service');
    expect(await failureOf(world.driver.delete('ph_foreign'))).to.contain('not of this service');
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    const another = await world.open(join(world.folder, 'another'), 'another');
    expect([...(await another.list()).keys()]).to.deep.equal([]);
    await another.close();
    // The folder of a phone was removed by hand: nothing is left of it at the next start.
    await world.driver.close();
    await rm(join(world.folder, 'data', 'phones', phoneId), { recursive: true });
    world.driver = await world.open();
    expect(await world.engine.cli('ps', '--format', '{{.Names}}')).to.equal(`${name}\n`);
    await world.engine.cli('rm', '--force', name);
    await world.driver.delete('ph_foreign');
  });

  it('whose image is not to be had, or whose model is gone, are not made', async () => {
    expect(await failureOf(world.driver.create(world.spec('phone', 'no-image')))).to.match(
      /^PhoneFailure: The image of this model cannot be fetched/,
    );
    expect(await failureOf(world.driver.create(world.spec('phone', 'withdrawn')))).to.contain(
      'PhoneFailure: The operator has withdrawn the model',
    );
    expect([...(await world.driver.list()).keys()]).to.deep.equal([]);
  });

  describe('whose image is removed while they are off', () => {
    /** Builds another image for the same tag, and returns its id. */
    const build = async (mark: string): Promise<string> => {
      const file = join(world.folder, 'Containerfile');
      await writeFile(file, `FROM ${world.model.image}\nLABEL mark=${mark}\n`);
      await world.engine.cli('build', '--tag', 'localhost/moving:latest', '--file', file, world.folder);
      return (await world.engine.cli('inspect', '--format', '{{.Id}}', 'localhost/moving:latest')).trim();
    };
    let shared: ContainerModel;
    before(() => (shared = world.model));
    after(async () => {
      world.model = shared;
      await world.reopen();
    });
    const imageIds = async (): Promise<string> => world.engine.cli('images', '--no-trunc', '--format', '{{.ID}}');

    it('start again after the tag has moved and images without a name were removed', async () => {
      const first = await build('first');
      world.model = { ...shared, image: 'localhost/moving:latest' };
      await world.reopen();
      const { phoneId } = await world.create();
      await world.driver.start(phoneId);
      await world.driver.stop(phoneId, 'save');
      expect(await build('second')).not.to.equal(first);
      await world.engine.cli('image', 'prune', '--force');
      await world.driver.start(phoneId);
      const container = new Docker({ socketPath: world.engine.socketPath }).getContainer(containerOf(phoneId));
      expect((await container.inspect()).Image).to.contain(first);
      await world.driver.stop(phoneId, 'save');
      // With its last phone the image is given up: images of old phones would fill the disk.
      expect(await imageIds()).to.contain(first);
      await world.driver.delete(phoneId);
      expect(await imageIds()).not.to.contain(first);
    });

    it('name what is missing, in their failure and among the problems of the host, and start once it is there', async () => {
      const id = await build('third');
      const { phoneId } = await world.create();
      await world.engine.cli('save', '--output', join(world.folder, 'third.tar'), 'localhost/moving:latest');
      await world.engine.cli('image', 'rm', '--force', id);
      const named = /localhost\/moving/;
      expect(await failureOf(world.driver.start(phoneId))).to.match(/^PhoneFailure: The image that the phone was made of/).and.to.match(named); // prettier-ignore
      expect((await world.driver.capacity()).problems?.join()).to.match(named);
      // A service that starts finds that out before anyone starts the phone.
      await world.reopen();
      expect((await world.driver.capacity()).problems?.join()).to.match(named);
      await world.engine.load(join(world.folder, 'third.tar'));
      await world.driver.start(phoneId);
      expect((await world.driver.capacity()).problems).to.deep.equal([]);
      await world.driver.delete(phoneId);
    });
  });

  it('that need what the kernel lacks are not offered, with the reason for the operator', async function () {
    if (existsSync('/dev/binder') || (await readFile('/proc/filesystems', 'utf8')).includes('\tbinder'))
      skip(this, 'this kernel has binder');
    const shared = world.model;
    world.model = { ...shared, binder: true };
    const second = await world.open(join(world.folder, 'second'), 'second');
    expect((await second.capacity()).problems?.slice(0, 1)).to.deep.equal([
      'model "stand-in" is not offered: the kernel has no binder: load it with "modprobe binder_linux devices=binder,hwbinder,vndbinder"',
    ]);
    expect(second.capabilities().models.map((one) => one.model)).to.deep.equal([]);
    await second.close();
    world.model = shared;
  });

  it('have the limits of their model', async () => {
    const { phoneId } = await world.create();
    await world.driver.start(phoneId);
    const { HostConfig: limits } = await new Docker({ socketPath: world.engine.socketPath })
      .getContainer(containerOf(phoneId))
      .inspect();
    expect(limits).to.include({ Memory: 512 * 1024 ** 2, NanoCpus: 2e9, PidsLimit: 500 });
    await world.driver.delete(phoneId);
  });

  it('boot eight at a time, two at the same time, and all are found after a crash of the service', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => world.create()));
    const endpoints = await Promise.all(made.map(({ phoneId }) => world.driver.start(phoneId)));
    expect(new Set(endpoints.map(({ identity }) => identity)).size).to.equal(8);
    // Nothing of the first world.driver is closed, as after kill -9: it holds no state but its listeners.
    await world.driver.close();
    const beganMs = performance.now();
    world.driver = await world.open();
    const found = await world.driver.list();
    console.log(`      8 phones adopted in ${Math.round(performance.now() - beganMs)} ms`);
    expect([...found.values()].filter(({ state }) => state === 'running').length).to.equal(8);
    await Promise.all(made.map(({ phoneId }) => world.driver.delete(phoneId)));
    expect(await world.engine.cli('ps', '--all', '--quiet')).to.equal('');
  });
});
