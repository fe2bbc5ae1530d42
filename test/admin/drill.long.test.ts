import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { killTree } from '../../testing/process-tree.js';
import { skip } from '../../testing/skip.js';
import { until } from '../../testing/until.js';
import { EventReader } from '../events/event-reader.js';
import { type Installation, removeData, startInstallation } from '../installation.js';
import { RestClient } from '../rest-client.js';

const start = fileURLToPath(new URL('../../start.js', import.meta.url));
const main = fileURLToPath(new URL('../../admin/main.js', import.meta.url));
const PHONES = 20;

/** Returns the arguments of the operator's command that begins with `words` in docs/backup.md, with `folder` in place of its folder. */
function documented(words: string, folder: string): string[] {
  const page = readFileSync(fileURLToPath(new URL('../../../docs/backup.md', import.meta.url)), 'utf8');
  const line = new RegExp(`^npm run --silent admin -- (${words} .*)$`, 'm').exec(page)?.[1];
  if (line === undefined) throw new Error(`docs/backup.md has no command that begins with ${words}`);
  return line.replace('/backups/monday', folder).split(' ');
}

describe('the drill: a machine is lost, and another one goes on from its backup', function () {
  this.timeout(400_000);
  let directory: string;
  let running: Installation;
  let api: RestClient;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'cloudphone-drill-'));
  });
  after(async () => {
    // Undefined where every test is skipped.
    await (running as Installation | undefined)?.stop();
    await removeData(directory);
  });

  async function begin(name: string): Promise<void> {
    running = await startInstallation({
      directory: join(directory, name),
      start,
      environment: {
        SIMULATED_BOOT_MS: '20',
        // The name of the database follows the folder in tests with MONGODB_URL; the embedded one has the same name on both machines.
        MONGODB_DATABASE: 'cloudphone',
      },
    });
    api = new RestClient(running.baseUrl.replace(/\/v1$/, ''), running.key);
  }

  async function admin(args: string[], machine: string): Promise<string> {
    const own = Object.entries(process.env).filter(([name]) => name !== 'MONGODB_URL');
    const child = spawn(process.execPath, [main, ...args], {
      env: { ...Object.fromEntries(own), DATA_DIR: join(directory, machine) },
    });
    let [out, error] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
    const status = await new Promise<number | null>((resolve) => child.on('close', resolve));
    expect(error, args.join(' ')).to.equal('');
    expect(status, args.join(' ')).to.equal(0);
    return out;
  }

  const names = Array.from({ length: PHONES }, (_, at) => `phone-${at}`);
  const path = (name: string): string => `/v1/devices/${name}/files/content?path=/sdcard/Download/${name}.bin`;
  const content = (name: string): Buffer => Buffer.alloc(1_000_000, `what ${name} has; `);

  /** Calls `use` with every phone, four at a time. */
  async function each(use: (name: string) => Promise<void>): Promise<void> {
    const left = [...names];
    const work = async (): Promise<void> => {
      for (let name = left.shift(); name !== undefined; name = left.shift()) await use(name);
    };
    await Promise.all(Array.from({ length: 4 }, work));
  }

  it(`brings ${PHONES} phones with their data, snapshots, keys and events to an empty machine`, async function () {
    if (process.env['MONGODB_URL'] !== undefined) skip(this, 'backups are of the embedded database');
    await begin('a');
    await each(async (name) => {
      await api.createPhone({ name });
      expect((await api.ask('PUT', path(name), content(name))).status).to.be.oneOf([200, 201, 204]);
    });
    const saved = await api.post('/v1/devices/phone-0/snapshots', { label: 'before' });
    await api.done(saved);
    const keyWords = ['key', 'create', '--account', 'owner@localhost', '--name', 'agent', '--scope', 'control'];
    const key = (JSON.parse(await admin([...keyWords, '--devices', '*', '--json'], 'a')) as { key: { key: string } })
      .key.key;
    const reader = await EventReader.open(running.baseUrl.replace(/\/v1$/, ''), {
      authorization: `Bearer ${running.key}`,
    });
    await each(async (name) => {
      await api.done(await api.post(`/v1/devices/${name}/stop`));
    });
    await reader.have(1);
    reader.close();
    const before = (await api.get('/v1/devices?limit=200')).body.devices as { name: string; id: string }[];

    const backup = join(directory, 'backup');
    expect(await admin(documented('backup', backup), 'a')).to.contain(`${PHONES} phones, 1 snapshots`);
    expect(await admin(documented('backup verify', backup), 'a')).to.contain('is whole');
    killTree(running.pid);
    await running.kill();
    rmSync(join(directory, 'a'), { recursive: true });

    const restored = await admin(documented('restore', backup), 'b');
    expect(restored).to.contain(`${PHONES} phones, 1 snapshots`).and.to.contain('SIMULATED_BOOT_MS');
    expect(await readdir(join(directory, 'b', 'simulator', 'phones'))).to.have.length(PHONES);
    const lastEventId = reader.lastId;
    await begin('b');
    const after = (await api.as(key).get('/v1/devices?limit=200')).body.devices as { name: string; id: string }[];
    expect(after.map(({ name }) => name).sort()).to.deep.equal(before.map(({ name }) => name).sort());
    const goesOn = await EventReader.open(
      running.baseUrl.replace(/\/v1$/, ''),
      { authorization: `Bearer ${key}` },
      { lastEventId },
    );
    await each(async (name) => {
      await api.as(key).done(await api.as(key).post(`/v1/devices/${name}/start`));
      const read = await api.as(key).get(path(name));
      expect([read.status, read.bytes.equals(content(name))], name).to.deep.equal([200, true]);
    });
    await goesOn.have(1);
    goesOn.close();
    const { snapshots } = (await api.get('/v1/devices/phone-0/snapshots')).body;
    expect(snapshots).to.have.length(1);
    await api.done(await api.post(`/v1/devices/phone-0/snapshots/${snapshots[0].id as string}/restore`));
    await until(async () => (await api.get('/v1/devices/phone-0/screenshot')).status === 200, 30_000);
  });

  it('brings phones that were on, too, with --phones all, and lets them go on', async function () {
    if (process.env['MONGODB_URL'] !== undefined) skip(this, 'backups are of the embedded database');
    const backup = join(directory, 'backup-of-all');
    const identity = async (): Promise<string> =>
      (await api.get('/v1/devices/phone-3')).body.device.started_at as string;
    const startedAt = await identity();
    const out = await admin([...documented('backup', backup), '--phones', 'all'], 'b');
    expect(out).to.contain(`${PHONES} phones, 1 snapshots`).and.not.to.contain('not in it');
    await admin(documented('backup verify', backup), 'b');
    expect(await identity()).to.equal(startedAt);
    expect((await api.get('/v1/devices/phone-3/screenshot')).status).to.equal(200);
    expect(await readdir(join(directory, 'b', 'simulator', 'snapshots'))).to.have.length(1);
    killTree(running.pid);
    await running.kill();
    rmSync(join(directory, 'b'), { recursive: true });

    await admin(documented('restore', backup), 'c');
    await begin('c');
    await until(async () => (await api.get('/v1/devices/phone-3')).body.device.state !== 'running', 60_000);
    await each(async (name) => {
      const { device } = (await api.get(`/v1/devices/${name}`)).body;
      if (device.state === 'stopped') await api.done(await api.post(`/v1/devices/${name}/start`));
      await until(async () => (await api.get(path(name))).status === 200, 60_000);
      expect((await api.get(path(name))).bytes.equals(content(name)), name).to.equal(true);
    });
  });
});
