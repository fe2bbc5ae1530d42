import { randomBytes } from 'node:crypto';
import { cp, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../kit/async/clock.js';
import { silentLog } from '../../kit/log/log.js';
import { AdbCommand } from '../../testing/phone/adb-command.js';
import { runScript } from '../../testing/phone/run-script.js';
import { until } from '../../testing/until.js';
import type { SimulatedPhone } from '../phone/phone.js';
import { phoneBuilder } from './build-phone.js';
import { describeTree } from '../../phone/files/manifest.js';
import { ENTRY_BYTES } from '../../phone/files/tree-usage.js';
import { PhoneFolder } from './phone-folder.js';
import { PhoneHost } from './phone-host.js';
import { shareTree } from './share-tree.js';
import { NEEDS_ADB, skip } from '../../testing/skip.js';

const apk = fileURLToPath(new URL('../../../phone/apk/fixtures/fixture-v2.apk', import.meta.url));
const spec = (phoneId: string) => ({
  phoneId,
  name: phoneId.replace('_', '-'),
  model: 'phone-720p',
  android: '14',
  exit: { type: 'direct', country: 'fr', timezone: 'Europe/Paris' },
});

describe('snapshots of simulated phones', function () {
  let root: string;
  let folder: PhoneFolder;
  let host: PhoneHost;
  let phones: Map<string, SimulatedPhone>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(os.tmpdir(), 'snapshots-'));
    folder = new PhoneFolder(root, path.join(root, 'scratch'));
    await folder.clean();
    phones = new Map();
    const random = Math.random;
    const build = phoneBuilder({ clock: systemClock, log: silentLog, random, bootMs: 0, storageBytes: 2 ** 28, allowPrivateTargets: false }); // prettier-ignore
    host = new PhoneHost({
      folder,
      build: (phone, directory) => {
        const built = build(phone, directory);
        phones.set(phone.phoneId, built);
        return built;
      },
      log: silentLog,
      process: 0,
      address: '127.0.0.1',
    });
    await host.create(spec('ph_1'));
  });
  afterEach(async () => {
    await host.close();
    await rm(root, { recursive: true, force: true });
  });

  const boot = (phoneId: string) => host.start(phoneId, () => undefined);
  const phone = (phoneId: string): SimulatedPhone => phones.get(phoneId)!;
  const shell = async (phoneId: string, script: string): Promise<string> => {
    const { stdout, stderr } = await runScript(phone(phoneId).machine, script);
    return stdout + stderr;
  };
  const stateOf = async (phoneId: string): Promise<string> => (await describeTree(folder.statePath(phoneId))).checksum;
  const failureOf = (work: Promise<unknown>): Promise<Error> =>
    work.then(
      () => new Error('it did not fail'),
      (error: unknown) => error as Error,
    );

  /** Makes a phone with files, its snapshot, and a clone, which runs. */
  async function phoneAndClone(): Promise<void> {
    await boot('ph_1');
    await shell('ph_1', 'cd /sdcard; for n in a b c d e f g h; do echo "first $n" > $n; done; mkdir -p dir; echo x > dir/x; ln -s a /data/local/tmp/link'); // prettier-ignore
    await shell('ph_1', 'settings put global k v; setprop persist.sys.locale de-DE');
    await phone('ph_1').machine.files.write('/data/local/tmp/x.apk', await readFile(apk));
    await shell('ph_1', 'pm install /data/local/tmp/x.apk');
    await host.snapshot('ph_1', 'sn_1');
    await host.clone('sn_1', spec('ph_2'));
    await boot('ph_2');
  }

  /** Every way in which a phone changes its disk. */
  const changes = [
    'echo new > /sdcard/a',
    'echo more >> /sdcard/b',
    'echo new | tee /sdcard/c',
    'echo more | tee -a /sdcard/c',
    'sed -i s/first/second/ /sdcard/d',
    'chmod 600 /sdcard/e',
    'touch -t 202001010000 /sdcard/f',
    'touch /sdcard/f',
    'cp /sdcard/a /sdcard/g',
    'mv /sdcard/h /sdcard/a',
    'rm /sdcard/b',
    'mv /sdcard/dir /sdcard/moved; echo y >> /sdcard/moved/x',
    'rm -r /sdcard/moved',
    'rm /data/local/tmp/link; ln -s b /data/local/tmp/link',
    'echo through > /data/local/tmp/link',
    'settings put global k w',
    'settings delete global k',
    'settings put secure android_id 0123456789abcdef',
    'setprop persist.sys.locale fr-FR',
    'pm install -r /data/local/tmp/x.apk',
    'pm disable com.example.fixture',
    'pm uninstall com.example.fixture',
    'screencap -p /sdcard/a',
    'uiautomator dump /sdcard/c',
  ];

  it('share their files with the phone and its clones, and neither shows the others’ changes of any kind', async () => {
    await phoneAndClone();
    const inode = async (of: string): Promise<number> => (await stat(path.join(root, of, 'state/files/storage/emulated/0/a'))).ino; // prettier-ignore
    expect(await inode('snapshots/sn_1'))
      .to.equal(await inode('phones/ph_1'))
      .and.to.equal(await inode('phones/ph_2'));
    for (const [changed, other] of [
      ['ph_2', 'ph_1'],
      ['ph_1', 'ph_2'],
    ] as const) {
      for (const change of changes) {
        const [own, others] = [await stateOf(changed), await stateOf(other)];
        const said = await shell(changed, change);
        // States are compared without times.
        if (!change.startsWith('touch')) expect(await stateOf(changed), `${change}: ${said}`).to.not.equal(own);
        expect(await stateOf(other), change).to.equal(others);
        await host.checkSnapshot('sn_1');
      }
    }
    const times = async (of: string) => (await stat(path.join(root, of, 'state/files/storage/emulated/0/f'))).mtimeMs;
    expect(await times('snapshots/sn_1')).to.not.equal(await times('phones/ph_1'));
  });

  it("keep out files and apps that Debian's adb pushes and installs later", async function () {
    await phoneAndClone();
    const adb = await AdbCommand.start(phone('ph_2').adbPort!);
    if (!adb) {
      skip(this, NEEDS_ADB);
    }
    const before = await stateOf('ph_1');
    const local = path.join(root, 'local');
    await writeFile(local, randomBytes(300_000));
    expect((await adb.run('push', local, '/sdcard/a')).status).to.equal(0);
    expect((await adb.run('shell', 'echo more >> /sdcard/a; echo new > /sdcard/b')).status).to.equal(0);
    expect((await adb.run('install', '-r', apk)).status).to.equal(0);
    expect((await adb.run('shell', 'stat -c %s /sdcard/a; cat /sdcard/b')).stdout).to.equal('300005\nnew\n');
    await adb.stop();
    expect(await stateOf('ph_1')).to.equal(before);
    await host.checkSnapshot('sn_1');
    await host.checkSnapshot('sn_1');
  });

  it('do not show later writes to a file that was open when they were taken', async () => {
    await boot('ph_1');
    const { shellFiles } = phone('ph_1').machine;
    await shell('ph_1', 'echo before > /sdcard/open');
    const writer = await shellFiles.openWrite('/sdcard/open', { append: true });
    await writer.write(Buffer.from('open\n'));
    await host.snapshot('ph_1', 'sn_1');
    await writer.write(Buffer.from('after\n'));
    await host.checkSnapshot('sn_1');
    await host.snapshot('ph_1', 'sn_2');
    await writer.write(Buffer.from('last\n'));
    await writer.close();
    for (const id of ['sn_1', 'sn_2']) await host.checkSnapshot(id);
    expect(await shell('ph_1', 'cat /sdcard/open')).to.equal('before\nopen\nafter\nlast\n');
    await host.restore('ph_1', 'sn_1');
    await boot('ph_1');
    expect(await shell('ph_1', 'cat /sdcard/open')).to.equal('before\nopen\n');
  });

  it('lose no write of a phone that is busy while they are taken, and stay as they were saved', async () => {
    await boot('ph_1');
    let busy = true;
    const writing = [0, 1, 2].map(async (of) => {
      let lines = 0;
      for (; busy; lines++) {
        await shell('ph_1', `echo line >> /sdcard/lines${of}; echo ${lines} > /sdcard/last${of}; chmod 6${of}0 /sdcard/last${of}`); // prettier-ignore
        await phone('ph_1').machine.files.write(`/data/data/x/${of}`, String(lines));
      }
      return lines;
    });
    const ids = Array.from({ length: 20 }, (_, at) => `sn_${at}`);
    for (const id of ids) await host.snapshot('ph_1', id);
    busy = false;
    const counts = await Promise.all(writing);
    for (const id of ids) await host.checkSnapshot(id);
    for (const [of, count] of counts.entries()) {
      expect(await shell('ph_1', `wc -l < /sdcard/lines${of}; cat /sdcard/last${of}`)).to.equal(
        `${count}\n${count - 1}\n`,
      );
    }
  });

  it('hold the install of an app whole or not at all', async () => {
    await boot('ph_1');
    await phone('ph_1').machine.files.write('/data/local/tmp/x.apk', await readFile(apk));
    const installing = (async () => {
      for (let at = 0; at < 5; at++) await shell('ph_1', 'pm install -r /data/local/tmp/x.apk; pm uninstall com.example.fixture'); // prettier-ignore
    })();
    for (let at = 0; at < 20; at++) await host.snapshot('ph_1', `sn_${at}`);
    await installing;
    for (let at = 0; at < 20; at++) {
      await host.restore('ph_1', `sn_${at}`);
      await boot('ph_1');
      const [listed, code] = [
        await shell('ph_1', 'pm path com.example.fixture'),
        await phone('ph_1').machine.files.list('/data/app'),
      ];
      expect(code).to.have.length(listed.includes('package:') ? 1 : 0);
      if (listed !== '') await phone('ph_1').machine.files.stat(listed.trim().replace('package:', ''));
    }
  });

  it('cost only the changes since the last one, on the disk and in bytes read', async () => {
    await boot('ph_1');
    for (let at = 0; at < 20; at++) await phone('ph_1').machine.files.write(`/sdcard/big${at}`, randomBytes(500_000));
    const usedBlocks = async (): Promise<number> => (await blocksBelow(root)).size;
    const first = await host.snapshot('ph_1', 'sn_1');
    expect(first.sizeBytes).to.be.greaterThan(10_000_000);
    const [before, shared] = [await diskUsed(root), await usedBlocks()];
    await shell('ph_1', 'echo small > /sdcard/new');
    const second = await host.snapshot('ph_1', 'sn_2');
    await host.clone('sn_2', spec('ph_2'));
    expect(second.sizeBytes).to.equal(first.sizeBytes + ENTRY_BYTES + 6 + (await screenGrowth('sn_1', 'sn_2')));
    expect((await diskUsed(root)) - before).to.be.lessThan(500_000);
    expect((await usedBlocks()) - shared).to.be.lessThan(20);
    await host.deleteSnapshot('sn_1');
    await host.checkSnapshot('sn_2');
    // The names that the phone and the clone have for the files are removed last.
    await host.deleteSnapshot('sn_2');
    await host.delete('ph_1');
    expect(await diskUsed(root)).to.be.greaterThan(10_000_000);
    await host.delete('ph_2');
    expect(await diskUsed(root)).to.be.lessThan(500_000);
  });

  async function screenGrowth(one: string, other: string): Promise<number> {
    const sizes = await Promise.all([one, other].map(async (id) => (await stat(path.join(root, 'snapshots', id, 'state/screen.json'))).size)); // prettier-ignore
    return sizes[1]! - sizes[0]!;
  }

  it('bring back files, apps, settings and the screen', async () => {
    await phoneAndClone();
    const { screen } = phone('ph_1').machine;
    await shell('ph_1', 'settings put system accelerometer_rotation 0; settings put system user_rotation 1');
    screen.launch({ package: 'com.cloudphone.settings' });
    screen.launch({ component: 'com.cloudphone.notes/.Edit' });
    expect(screen.commitText('half a thought')).to.equal(true);
    await host.snapshot('ph_1', 'sn_2');
    await shell('ph_1', 'rm -r /sdcard/*; pm uninstall com.example.fixture; settings put global k w; settings put system user_rotation 0; am force-stop com.cloudphone.notes'); // prettier-ignore
    await host.restore('ph_1', 'sn_2');
    await boot('ph_1');
    const back = phone('ph_1').machine;
    expect(await shell('ph_1', 'cat /sdcard/a /sdcard/dir/x; settings get global k; pm list packages -3; readlink /data/local/tmp/link')).to.equal(
      'first a\nx\nv\npackage:com.example.fixture\na\n',
    ); // prettier-ignore
    expect(back.screen.rotation).to.equal(1);
    await until(() => back.screen.focusedField?.text === 'half a thought');
    expect(back.screen.foreground).to.deep.equal({ package: 'com.cloudphone.notes', activity: '.Edit' });
    await shell('ph_1', 'am force-stop com.cloudphone.notes');
    expect(back.screen.foreground.package).to.equal('com.cloudphone.settings');
    // The apps are opened once: a phone that is booted again begins at its launcher.
    await host.stop('ph_1');
    await boot('ph_1');
    expect(phone('ph_1').machine.screen.foreground.package).to.equal('com.cloudphone.launcher');
  });

  it('make clones with an identity of their own', async () => {
    await boot('ph_1');
    await shell('ph_1', 'settings put secure android_id 0123456789abcdef; settings put secure other kept');
    await host.snapshot('ph_1', 'sn_1');
    await host.clone('sn_1', spec('ph_2'));
    await boot('ph_2');
    const ask =
      'getprop ro.serialno; settings get secure android_id; cat /sys/class/net/wlan0/address; getprop ro.product.device';
    const [one, two] = [(await shell('ph_1', ask)).split('\n'), (await shell('ph_2', ask)).split('\n')];
    for (let at = 0; at < 4; at++) expect(one[at]).to.not.equal(two[at]);
    expect(two[1]).to.match(/^[0-9a-f]{16}$/);
    expect(two[2]).to.match(/^02(:[0-9a-f]{2}){5}$/);
    expect(await shell('ph_2', 'ip link')).to.contain(`link/ether ${two[2]} `);
    expect(await shell('ph_2', 'settings get secure other')).to.equal('kept\n');
    await host.checkSnapshot('sn_1');
  });

  it('are kept a second time, with shared files and independent of the first; phones are made of the copy', async () => {
    await phoneAndClone();
    const { sizeBytes, checksum } = await host.snapshot('ph_1', 'sn_1');
    for (let times = 0; times < 2; times++)
      expect(await host.copySnapshot('sn_1', 'tpl_1')).to.include({ sizeBytes, checksum });
    const inode = async (of: string): Promise<number> => (await stat(path.join(root, of, 'state/files/storage/emulated/0/a'))).ino; // prettier-ignore
    expect(await inode('snapshots/tpl_1')).to.equal(await inode('snapshots/sn_1'));
    expect((await readdir(path.join(root, 'snapshots'))).sort()).to.deep.equal(['sn_1', 'tpl_1']);
    await host.deleteSnapshot('sn_1');
    await host.checkSnapshot('tpl_1');
    await host.clone('tpl_1', spec('ph_3'));
    await boot('ph_3');
    for (const change of changes) await shell('ph_3', change);
    await host.checkSnapshot('tpl_1');
    expect(await shell('ph_1', 'cat /sdcard/a')).to.equal('first a\n');
    const missing = await failureOf(host.copySnapshot('sn_1', 'tpl_2'));
    expect(missing.message).to.contain('not on the host of its phone any more');
    expect(await folder.listSnapshots()).to.deep.equal(['tpl_1']);
  });

  it('are not kept a second time where they are damaged, and nothing of the copy stays', async () => {
    await shell0();
    await host.snapshot('ph_1', 'sn_1');
    await rm(path.join(root, 'snapshots/sn_1/state/files/storage/emulated/0/kept'));
    expect((await failureOf(host.copySnapshot('sn_1', 'tpl_1'))).message).to.contain('The snapshot is damaged');
    expect(await folder.hasSnapshot('tpl_1')).to.equal(false);
    expect(await readdir(path.join(root, 'scratch'))).to.deep.equal([]);
  });

  it('that came from another disk are read in whole, as its inodes may be those of other files here', async () => {
    await shell0();
    await host.snapshot('ph_1', 'sn_1');
    const there = path.join(root, 'snapshots/sn_1');
    // A copy as a host receives it: other inodes, and the manifest as it was.
    await cp(there, path.join(root, 'snapshots/tpl_1'), { recursive: true });
    const manifest = path.join(root, 'snapshots/tpl_1/manifest.json');
    const { inodes, ...facts } = JSON.parse(await readFile(manifest, 'utf8')) as { inodes: Record<number, string> };
    await host.clone('tpl_1', spec('ph_2'));
    const kept = await stat(path.join(folder.statePath('ph_2'), 'files/storage/emulated/0/kept'));
    await writeFile(manifest, JSON.stringify({ ...facts, inodes: { ...inodes, [kept.ino]: 'f'.repeat(64) } }));
    await host.snapshot('ph_2', 'sn_2');
    await host.checkSnapshot('sn_2');
  });

  it('are refused when a file is not as it was saved, is gone, or is more than was saved', async () => {
    await shell0();
    await host.snapshot('ph_1', 'sn_1');
    const file = path.join(root, 'snapshots/sn_1/state/files/storage/emulated/0/kept');
    const text = await readFile(file);
    for (const damage of [
      () => writeFile(file, 'other'),
      () => rm(file),
      () => writeFile(path.join(path.dirname(file), 'stranger'), ''),
      () => rm(path.join(root, 'snapshots/sn_1/state'), { recursive: true }),
      () => writeFile(path.join(root, 'snapshots/sn_1/manifest.json'), '{'),
    ]) {
      await damage();
      expect((await failureOf(host.checkSnapshot('sn_1'))).message).to.match(/^The (snapshot is damaged|files of the snapshot are not)/); // prettier-ignore
      await host.deleteSnapshot('sn_1');
      await rm(path.join(folder.statePath('ph_1'), 'files/storage/emulated/0/kept'), { force: true });
      await writeFile(path.join(folder.statePath('ph_1'), 'files/storage/emulated/0/kept'), text);
      await host.snapshot('ph_1', 'sn_1');
      await host.checkSnapshot('sn_1');
    }
    await host.deleteSnapshot('sn_1');
    expect((await failureOf(host.checkSnapshot('sn_1'))).message).to.contain('not on the host of its phone any more');
    expect((await failureOf(host.clone('sn_1', spec('ph_2')))).message).to.contain('not on the host');
    expect(await folder.inspect('ph_2')).to.deep.equal({ status: { state: 'absent' } });
  });

  /** Writes a file on the phone, which is off again afterwards. */
  async function shell0(): Promise<void> {
    await boot('ph_1');
    await shell('ph_1', 'echo kept > /sdcard/kept');
    await host.stop('ph_1');
  }

  /** Returns a new folder on another file system than that of the phones; undefined when there is none. */
  async function folderElsewhere(): Promise<string | undefined> {
    for (const place of ['/dev/shm', '/var/tmp']) {
      const stats = await lstat(place).catch(() => undefined);
      if (stats !== undefined && stats.dev !== (await lstat(root)).dev) return mkdtemp(path.join(place, 'snapshots-'));
    }
    return undefined;
  }

  it('are copied where the file system cannot give a file a second name', async function () {
    const elsewhere = await folderElsewhere();
    if (elsewhere === undefined) {
      skip(this, 'neither /dev/shm nor /var/tmp is another file system');
    }
    try {
      await shell0();
      const before = await stateOf('ph_1');
      await shareTree(folder.statePath('ph_1'), path.join(elsewhere, 'copy'));
      expect((await describeTree(path.join(elsewhere, 'copy'))).checksum).to.equal(before);
    } finally {
      await rm(elsewhere, { recursive: true });
    }
  });

  it('leave out files on their way to the phone, and the leftovers of a file whose replacement was killed', async () => {
    await shell0();
    const state = folder.statePath('ph_1');
    await mkdir(path.join(state, 'files/incoming'));
    await writeFile(path.join(state, 'files/incoming/0'), 'half');
    await writeFile(path.join(state, 'settings.json.new'), '{"global":');
    await host.snapshot('ph_1', 'sn_1');
    expect(await readdir(path.join(root, 'snapshots/sn_1/state/files'))).to.not.include('incoming');
    await boot('ph_1');
    await shell('ph_1', 'settings put global k v');
    await host.checkSnapshot('sn_1');
  });

  it('end a restore that was killed in its last step when the process starts again', async () => {
    await shell0();
    await host.snapshot('ph_1', 'sn_1');
    await rm(folder.statePath('ph_1'), { recursive: true });
    await shareTree(path.join(root, 'snapshots/sn_1/state'), path.join(root, 'scratch/ph_1.restored'));
    await folder.clean();
    expect(await folder.inspect('ph_1')).to.deep.equal({ status: { state: 'stopped' } });
    await boot('ph_1');
    expect(await shell('ph_1', 'cat /sdcard/kept')).to.equal('kept\n');
  });

  it('leave a file as it is under all its other names', async () => {
    await shell0();
    const kept = path.join(folder.statePath('ph_1'), 'files/storage/emulated/0/kept');
    for (let at = 0; at < 50; at++) await link(kept, path.join(root, `name${at}`));
    await boot('ph_1');
    await shell('ph_1', 'echo more >> /sdcard/kept');
    expect(await readFile(path.join(root, 'name0'), 'utf8')).to.equal('kept\n');
    expect(await shell('ph_1', 'cat /sdcard/kept')).to.equal('kept\nmore\n');
  });
});

/** Returns the inodes of the files below a folder. */
async function blocksBelow(directory: string): Promise<Set<number>> {
  const inodes = new Set<number>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) inodes.add((await lstat(path.join(entry.parentPath, entry.name))).ino);
  }
  return inodes;
}

/** Returns the bytes of the files below a folder. Each file counts once, however many names it has. */
async function diskUsed(directory: string): Promise<number> {
  const sizes = new Map<number, number>();
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const { ino, size } = await lstat(path.join(entry.parentPath, entry.name));
    sizes.set(ino, size);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
