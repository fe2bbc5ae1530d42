import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { BackUpOptions } from '../../admin/backup/back-up.js';
import { verifyBackup } from '../../admin/backup/verify-backup.js';
import { skip } from '../../testing/skip.js';
import { BackupWorld } from './backup-world.js';

/** A user without rights. */
const NOBODY = 65_534;

/** The time is read at the begin of a backup, and at each look at a tree. */
const LOOK_AFTER_COPY = 3;

describe('a backup of a data folder', () => {
  let world: BackupWorld;

  beforeEach(async () => {
    world = await BackupWorld.open();
  });
  afterEach(() => world.close());

  it('holds what is off at its moment, keys and snapshots, and lists what it leaves out', async () => {
    await world.phone('off', 'stopped');
    await world.phone('on', 'running');
    await world.phone('busy', 'stopped', { job: { id: 'j', kind: 'start' } });
    await world.phone('gone', 'stopped', { gone: true });
    world.write('container/phones/orphan/phone.json', '{}');
    await world.snapshot('ready', 'ready');
    await world.snapshot('saving', 'saving');
    await world.record('devices', { _id: 'lost', made: true, state: 'stopped' });
    const { file, failed } = await world.made('one');
    expect(Object.keys(file.trees)).to.deep.equal(['container/phones/off', 'container/snapshots/ready']);
    expect(file.left_out).to.have.deep.members([
      { id: 'on', device: 'name-on', reason: 'it is on' },
      { id: 'busy', device: 'name-busy', reason: 'a job is at work on it' },
      { id: 'lost', reason: 'its files are not on this host' },
    ]);
    expect(failed).to.deep.equal([]);
    expect(file.settings).to.deep.equal(['PORT', 'SECRETS_KEY']);
    expect(file.images).to.deep.equal([{ digest: 'sha256:1', source: 'r/i@sha256:2' }]);
    expect(Object.keys(file.files))
      .to.include.members(['steps-key', 'folder-id', 'attached/adbkey'])
      .and.not.include('lock');
    await world.restored('one', 'new');
    const back = (path: string): string => readFileSync(join(world.directory, 'new', path), 'utf8');
    expect([back('steps-key'), back('attached/adbkey'), back('container/phones/off/data/a/file')]).to.deep.equal([
      ...['key', 'adb key', 'of off'],
    ]);
    expect(readdirSync(join(world.directory, 'new')).filter((name) => name.startsWith('.'))).to.deep.equal([]);
  });

  it('shares what has not changed with the newest backup beside it, and stays whole without that one', async () => {
    await world.phone('off', 'stopped');
    world.write('container/phones/off/data/other', 'stays');
    await world.made('one');
    // The same length and time of change as before: only the time that no program can set differs.
    const before = statSync(join(world.data, 'container/phones/off/data/a/file'));
    world.write('container/phones/off/data/a/file', 'OF off');
    utimesSync(join(world.data, 'container/phones/off/data/a/file'), before.atime, before.mtime);
    await world.made('two');
    const inode = (name: string, path: string): number =>
      statSync(world.inBackup(name, `container/phones/off/${path}`)).ino;
    expect(inode('two', 'data/other')).to.equal(inode('one', 'data/other'));
    expect(inode('two', 'data/a/file')).to.not.equal(inode('one', 'data/a/file'));
    expect(inode('one', 'data/other')).to.not.equal(statSync(join(world.data, 'container/phones/off/data/other')).ino);
    const read = (name: string): string =>
      readFileSync(world.inBackup(name, 'container/phones/off/data/a/file'), 'utf8');
    expect([read('one'), read('two')]).to.deep.equal(['of off', 'OF off']);
    rmSync(join(world.directory, 'one'), { recursive: true });
    await verifyBackup(join(world.directory, 'two'), () => undefined);
  });

  it('keeps files shared that phones and snapshots share, in the backup and after the restore', async () => {
    await world.phone('off', 'stopped');
    await world.snapshot('ready', 'ready');
    linkSync(
      join(world.data, 'container/phones/off/data/a/file'),
      join(world.data, 'container/snapshots/ready/data/same'),
    );
    await world.made('one');
    await world.restored('one', 'new');
    for (const root of [world.inBackup('one', ''), join(world.directory, 'new')]) {
      const inode = (path: string): number => statSync(join(root, path)).ino;
      expect(inode('container/snapshots/ready/data/same')).to.equal(inode('container/phones/off/data/a/file'));
    }
  });

  it('holds the templates that are ready and on this host, as snapshots, and brings them back', async () => {
    for (const [id, state] of [
      ['tpl_1', 'ready'],
      ['tpl_2', 'failed'],
      ['tpl_3', 'deleting'],
    ] as const) {
      world.write(`container/snapshots/${id}/data/file`, `of ${id}`);
      await world.record('templates', { _id: id, state });
    }
    await world.record('templates', { _id: 'tpl_elsewhere', state: 'ready' });
    const { file } = await world.made('one');
    expect(Object.keys(file.trees)).to.deep.equal(['container/snapshots/tpl_1']);
    expect(file.left_out).to.deep.equal([{ id: 'tpl_elsewhere', reason: 'its files are not on this host' }]);
    await world.restored('one', 'new');
    expect(readFileSync(join(world.directory, 'new/container/snapshots/tpl_1/data/file'), 'utf8')).to.equal('of tpl_1');
  });

  it('leaves out a phone that changes whenever it is copied', async () => {
    await world.phone('often', 'stopped');
    await world.phone('quiet', 'stopped');
    let copies = 0;
    const from = join(world.data, 'container/phones');
    const changing = {
      now: () => {
        // The time is read at each look at a tree: every second one is that after a copy.
        copies++;
        if (existsSync(world.inBackup(partial(), 'container/phones/often/data')))
          void appendFile(join(from, 'often/data/a/file'), 'x');
        return Date.now() + 60_000;
      },
    };
    const partial = (): string => readdirSync(world.directory).find((name) => name.includes('.partial-')) ?? 'none';
    world.write('container/phones/often/data/big', 'x'.repeat(1_000_000));
    const { file } = await world.made('one', { clock: changing });
    expect(copies).to.be.greaterThan(4);
    expect(Object.keys(file.trees)).to.deep.equal(['container/phones/quiet']);
    expect(file.left_out.map(({ id }) => id)).to.deep.equal(['often']);
    await verifyBackup(join(world.directory, 'one'), () => undefined);
  });

  it('takes a phone that changed once while it was copied', async () => {
    await world.phone('off', 'stopped');
    let looks = 0;
    const now = (): number => {
      // The second look at the tree comes after the copy.
      if (++looks === LOOK_AFTER_COPY) writeFileSync(join(world.data, 'container/phones/off/data/a/file'), 'newer');
      return Date.now() + 60_000;
    };
    const { file } = await world.made('one', { clock: { now } });
    expect(Object.keys(file.trees)).to.deep.equal(['container/phones/off']);
    expect(readFileSync(world.inBackup('one', 'container/phones/off/data/a/file'), 'utf8')).to.equal('newer');
  });

  it('holds phones that are on, one after the other, and takes what the service names in place of their folders', async () => {
    await world.phone('on', 'running');
    await world.phone('fails', 'running');
    await world.phone('late', 'running');
    world.write('container/saved/state/file', 'saved beside it');
    let held = 0;
    const hold: BackUpOptions['hold'] = async (phoneId, use) => {
      expect(++held).to.equal(1);
      try {
        if (phoneId === 'fails') throw new Error('the engine hangs');
        const description = { at: 'phone.json', from: join(world.data, `container/phones/${phoneId}/phone.json`) };
        await use([description, { at: 'data', from: join(world.data, 'container/saved/state') }]);
        if (phoneId === 'late') throw new Error('the phone went on while it was copied');
      } finally {
        held--;
      }
    };
    const { file, failed } = await world.made('one', { phones: 'all', hold });
    expect(Object.keys(file.trees)).to.deep.equal(['container/phones/on']);
    expect(readFileSync(world.inBackup('one', 'container/phones/on/data/file'), 'utf8')).to.equal('saved beside it');
    expect(readdirSync(world.inBackup('one', 'container/phones/on')).sort()).to.deep.equal(['data', 'phone.json']);
    expect(failed.map(({ id, reason }) => [id, reason])).to.have.deep.members([
      ['fails', 'the engine hangs'],
      ['late', 'the phone went on while it was copied'],
    ]);
    expect(existsSync(world.inBackup('one', 'container/phones/late'))).to.equal(false);
    await verifyBackup(join(world.directory, 'one'), () => undefined);
  });

  it('keeps phones that a data folder has already, as after an upgrade that is taken back', async () => {
    await world.phone('off', 'stopped');
    await world.phone('other', 'stopped');
    await world.made('one');
    mkdirSync(join(world.directory, 'new/container/phones/off'), { recursive: true });
    writeFileSync(join(world.directory, 'new/container/phones/off/newer'), '');
    const { kept } = await world.restored('one', 'new');
    expect(kept).to.deep.equal(['container/phones/off']);
    expect(readdirSync(join(world.directory, 'new/container/phones/off'))).to.deep.equal(['newer']);
    expect(existsSync(join(world.directory, 'new/container/phones/other/data/a/file'))).to.equal(true);
  });

  it('is made and restored where folders of the data folder are links to other disks, and beside a damaged one', async () => {
    await world.phone('off', 'stopped');
    renameSync(join(world.data, 'container'), join(world.directory, 'disk'));
    symlinkSync(join(world.directory, 'disk'), join(world.data, 'container'));
    mkdirSync(join(world.directory, 'damaged/data'), { recursive: true });
    writeFileSync(join(world.directory, 'damaged/data/folder-id'), readFileSync(join(world.data, 'folder-id')));
    writeFileSync(join(world.directory, 'damaged/backup.json'), '{"format":2');
    await world.made('one');
    for (const name of ['database', 'container']) {
      mkdirSync(join(world.directory, `new-${name}`));
      mkdirSync(join(world.directory, 'new'), { recursive: true });
      symlinkSync(join(world.directory, `new-${name}`), join(world.directory, 'new', name));
    }
    await world.restored('one', 'new');
    expect(readdirSync(join(world.directory, 'new-database'))).to.deep.equal(['data.mdb']);
    expect(readdirSync(join(world.directory, 'new-container/phones'))).to.deep.equal(['off']);
    expect(readdirSync(join(world.directory, 'new-container'))).to.deep.equal(['phones']);
  });

  it('made in the data folder does not hold what lies beside it', async () => {
    world.write('backups/old.tar', 'large');
    const { file } = await world.made('data/backups/one');
    expect(Object.keys(file.files)).to.include('steps-key').and.not.include('backups/old.tar');
  });

  it('can be restored where the data folder has names that no service gives, and lists their files', async () => {
    await world.phone('off', 'stopped');
    world.write('notes (1).txt', 'of the operator');
    world.write('container.old/phones/off/phone.json', '{}');
    mkdirSync(join(world.data, 'lost+found'));
    const { file } = await world.made('one');
    expect(file.left_out.map(({ id }) => id)).to.deep.equal(['notes (1).txt']);
    expect(Object.keys(file.trees)).to.deep.equal(['container/phones/off']);
    await world.restored('one', 'new');
  });

  it('made in the data folder does not hold itself or an earlier one, and holds the files beside phones', async () => {
    await world.phone('off', 'stopped');
    world.write('container/own-file', 'kept');
    await world.made('data/monday');
    const { file } = await world.made('data/tuesday');
    const { file: beside } = await world.made('data/container/backup');
    for (const { files } of [file, beside]) {
      expect(Object.keys(files)).to.include('container/own-file');
      expect(Object.keys(files).filter((path) => path.endsWith('.mdb') || path.endsWith('.json'))).to.deep.equal([
        'data.mdb',
      ]);
    }
  });

  it('is made of a service of another user, which may not write into its folder', async function () {
    if (process.getuid?.() !== 0) skip(this, 'needs root, to start a service as another user');
    const other = join(world.directory, 'other');
    for (const folder of [world.directory, other]) {
      mkdirSync(folder, { recursive: true });
      chmodSync(folder, 0o755);
    }
    chownSync(other, NOBODY, NOBODY);
    const server = fileURLToPath(new URL('../../embedded-mongo/embedded-mongo.js', import.meta.url));
    const script = `
      const { startEmbeddedMongo } = await import(${JSON.stringify(server)});
      const ignore = () => undefined;
      const log = { trace: ignore, debug: ignore, info: ignore, warn: ignore, error: ignore, fatal: ignore };
      await startEmbeddedMongo({ directory: ${JSON.stringify(join(other, 'database'))}, log });
      console.log('up');`;
    const file = join(world.directory, 'serve.mjs');
    writeFileSync(file, script);
    const service = spawn(process.execPath, [file], {
      ...{ uid: NOBODY, gid: NOBODY, cwd: '/', env: {} },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const closed = once(service, 'close');
    try {
      await Promise.race([once(service.stdout, 'data'), closed]);
      const backup = await world.made('one', { dataDirectory: other });
      expect(Object.keys(backup.file.files)).to.deep.equal(['data.mdb']);
      await verifyBackup(join(world.directory, 'one'), () => undefined);
      expect(readdirSync(join(other, 'database')).filter((name) => name.startsWith('.'))).to.deep.equal([]);
    } finally {
      service.kill('SIGKILL');
      await closed;
    }
  });

  it('and what it restores is readable for its user alone', async () => {
    await world.made('one');
    await world.restored('one', 'new');
    for (const path of ['one/data.mdb', 'new/database/data.mdb'])
      expect(statSync(join(world.directory, path)).mode & 0o777, path).to.equal(0o600);
  });

  for (const phones of ['stopped', 'none'] as const)
    it(`always holds the description of a phone on a volume, on or off, with --phones ${phones}`, async () => {
      for (const [id, state, more] of [
        ['off', 'stopped', {}],
        ['on', 'running', {}],
        ['busy', 'running', { job: { id: 'j', kind: 'restart' } }],
        ['gone', 'stopped', { gone: true }],
      ] as const) {
        world.write(`kubernetes/phones/${id}/phone.json`, JSON.stringify({ phoneId: id, digest: 'r/i@sha256:2' }));
        mkdirSync(join(world.data, `kubernetes/phones/${id}/data`));
        await world.record('devices', {
          _id: id,
          state,
          made: true,
          driver: 'kubernetes',
          name: `name-${id}`,
          ...more,
        });
      }
      await world.record('devices', { _id: 'lost', state: 'running', made: true, driver: 'kubernetes' });
      // A start replaces the description while it is copied.
      world.write('kubernetes/phones/on/phone.json.new', '{"phoneId":');
      const { file, failed } = await world.made('one', { phones });
      const saved = ['busy', 'off', 'on'];
      expect(Object.keys(file.trees)).to.deep.equal(saved.map((id) => `kubernetes/phones/${id}`));
      const reason = 'its data is on a volume of the cluster; only its description is saved';
      expect(file.left_out).to.have.deep.members([
        ...saved.map((id) => ({ id, device: `name-${id}`, reason })),
        { id: 'lost', reason: 'its files are not on this host' },
      ]);
      expect(failed).to.deep.equal([]);
      await world.restored('one', 'new');
      const path = join(world.directory, 'new/kubernetes/phones/on');
      expect(readdirSync(path).sort()).to.deep.equal(['data', 'phone.json']);
      expect(readFileSync(join(path, 'phone.json'), 'utf8')).to.contain('"phoneId":"on"');
    });

  it('copies no phones and no snapshots when none are chosen', async () => {
    await world.phone('off', 'stopped');
    const { file } = await world.made('one', { phones: 'none' });
    expect(file.trees).to.deep.equal({});
    expect(file.left_out).to.deep.equal([{ id: 'off', device: 'name-off', reason: 'phones were not chosen' }]);
  });
});
